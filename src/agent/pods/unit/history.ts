// The containers that one name of a pod has stood for, as the runtime and the API know them.

import type { ContainerStatus } from "../../../api/types/core.ts";
import type { ContainerLabels, ContainerState } from "../../runtime/port.ts";

/** What the runtime has forgotten, such as by a reboot, from what the API was told. */
export function remembered(
  status: ContainerStatus,
  labels: Omit<ContainerLabels, "attempt">,
  now: number,
): ContainerState | undefined {
  const { state, lastState, containerID = "", restartCount, imageID } = status;
  const id = containerID.replace(/^.*:\/\//, "");
  if (id === "") return undefined;
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
    // Nobody saw how it ended.
    return { ...base, startedAt, finishedAt: new Date(now), exitCode: 137 };
  }
  const { exitCode, startedAt = now, finishedAt = now } = ended;
  return { ...base, exitCode, startedAt: new Date(startedAt), finishedAt: new Date(finishedAt) };
}

/** By their attempts, the latest first. */
export function latestFirst(states: readonly ContainerState[]): readonly ContainerState[] {
  return states.toSorted((a, b) => b.labels.attempt - a.labels.attempt);
}
