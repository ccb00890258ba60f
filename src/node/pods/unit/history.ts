// The earlier containers of a pod, as the runtime and the API know them.

import type { ContainerStatus, Pod } from "../../../api/types/core.ts";
import type { ContainerLabels, ContainerState } from "../../runtime/runtime.ts";

/**
 * Returns the runtime's states of a container; the API's status where the runtime has none, such as after a
 * reboot.
 */
export function knownStates(
  pod: Pod,
  name: string,
  { found, now }: { readonly found: readonly ContainerState[]; readonly now: number },
): readonly ContainerState[] {
  const own = found.filter(({ labels }) => labels.container === name);
  if (own.length > 0) return own;
  const {
    initContainerStatuses = [],
    containerStatuses = [],
    ephemeralContainerStatuses = [],
  } = pod.status ?? {};
  const told = [initContainerStatuses, containerStatuses, ephemeralContainerStatuses].flat();
  const status = told.find((each) => each.name === name);
  if (status === undefined) return [];
  const { uid: podUid = "", namespace: podNamespace, name: podName } = pod.metadata;
  const labels = { podUid, podNamespace, podName, container: name, kind: "container" as const };
  return remembered(status, labels, now) ?? [];
}

/** Sorts by attempt, the latest first. */
export function latestFirst(states: readonly ContainerState[]): readonly ContainerState[] {
  return states.toSorted((a, b) => b.labels.attempt - a.labels.attempt);
}

function remembered(
  status: ContainerStatus,
  labels: Omit<ContainerLabels, "attempt">,
  now: number,
): readonly ContainerState[] {
  const { state, lastState, containerID = "", restartCount, imageID } = status;
  const id = containerID.replace(/^.*:\/\//, "");
  if (id === "") return [];
  const ended = state?.terminated ?? lastState?.terminated;
  const base = {
    id,
    labels: { ...labels, attempt: restartCount },
    image: imageID,
    logPath: "",
    status: "exited" as const,
  };
  if (state?.running !== undefined || ended === undefined) {
    const startedAt = new Date(state?.running?.startedAt ?? now);
    // Its exit was not observed: it is reported as killed.
    return [{ ...base, startedAt, finishedAt: new Date(now), exitCode: 137 }];
  }
  const { exitCode, startedAt = now, finishedAt = now } = ended;
  return [{ ...base, exitCode, startedAt: new Date(startedAt), finishedAt: new Date(finishedAt) }];
}
