// The table of `kubectl get pods`. Its status column shows why a pod waits, how it ended, or that it runs.
import type { ContainerStatus, Pod } from "../../types/core.ts";
import { ageOf } from "../age.ts";
import { ageColumn, nameColumn, table, text, wide } from "../table.ts";
import { joinedAddresses } from "./addresses.ts";
import { isSidecar } from "./containers.ts";
import { isFinishedPod } from "./status.ts";

export const podTable = table<Pod>([
  nameColumn,
  text("Ready", (pod) => summaryOf(pod).ready),
  text("Status", (pod) => summaryOf(pod).status),
  text("Restarts", (pod, now) => restartsText(summaryOf(pod), now)),
  ageColumn,
  wide(text("IP", ({ status }) => joinedAddresses(status) || "<none>")),
  wide(text("Node", ({ spec }) => spec.nodeName || "<none>")),
  wide(text("Nominated Node", ({ status }) => status?.nominatedNodeName || "<none>")),
  wide(text("Readiness Gates", gatesText)),
]);

interface Summary {
  readonly ready: string;
  readonly status: string;
  readonly restarts: number;
  /** The time at which the container that was restarted last had ended. */
  readonly restarted: string | undefined;
}

function summaryOf(pod: Pod): Summary {
  const { initContainers = [], containers } = pod.spec;
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
  const sidecars = new Set(initContainers.filter(isSidecar).map(({ name }) => name));
  const initial = initialProgress(pod, sidecars);
  const isInitializing = initial.reason !== undefined && !hasCondition(pod, "Initialized");
  const counted = isInitializing
    ? initContainerStatuses.slice(0, initial.seen)
    : [
        ...initContainerStatuses.slice(0, initial.seen).filter(({ name }) => sidecars.has(name)),
        ...containerStatuses,
      ];
  const running = isInitializing ? [] : containerStatuses.filter(isReadyRunning);
  const ready = initial.readySidecars + running.length;
  return {
    ready: `${ready}/${containers.length + sidecars.size}`,
    status: endingOf(pod) ?? statusOf(pod, { initial: initial.reason, isInitializing, running }),
    restarts: counted.reduce((sum, { restartCount }) => sum + (restartCount ?? 0), 0),
    restarted: latest(counted.map(({ lastState }) => lastState?.terminated?.finishedAt)),
  };
}

interface Progress {
  /** The reason why the pod is not initialised yet. */
  readonly reason?: string;
  /** The number of init containers looked at, up to the one that is running. */
  readonly seen: number;
  readonly readySidecars: number;
}

function initialProgress(pod: Pod, sidecars: ReadonlySet<string>): Progress {
  const total = pod.spec.initContainers?.length ?? 0;
  let readySidecars = 0;
  const statuses = pod.status?.initContainerStatuses ?? [];
  for (const [index, container] of statuses.entries()) {
    const { state = {}, started, ready, name } = container;
    if (state.terminated?.exitCode === 0) continue;
    if (sidecars.has(name) && started === true) {
      if (ready) readySidecars++;
      continue;
    }
    const waiting = state.waiting?.reason;
    const reason =
      ended(state.terminated) ??
      (waiting && waiting !== "PodInitializing" ? waiting : `${index}/${total}`);
    return { reason: `Init:${reason}`, seen: index + 1, readySidecars };
  }
  return { seen: statuses.length, readySidecars };
}

interface Situation {
  readonly initial: string | undefined;
  readonly isInitializing: boolean;
  readonly running: readonly ContainerStatus[];
}

function statusOf(pod: Pod, { initial, isInitializing, running }: Situation): string {
  const { phase = "", reason = "", conditions = [], containerStatuses = [] } = pod.status ?? {};
  const isGated = conditions.some(
    (one) => one.type === "PodScheduled" && one.reason === "SchedulingGated",
  );
  const general = isGated ? "SchedulingGated" : reason || phase;
  if (isInitializing) return initial ?? general;
  const [first] = containerStatuses.flatMap((one) => reasonOf(one) ?? []);
  const status = first ?? initial ?? general;
  if (status !== "Completed" || running.length === 0) return status;
  return hasCondition(pod, "Ready") ? "Running" : "NotReady";
}

/** Returns why a container does not run, if it does not. */
function reasonOf({ state = {} }: ContainerStatus): string | undefined {
  return state.waiting?.reason || ended(state.terminated);
}

function ended(
  terminated: { reason?: string; signal?: number; exitCode: number } | undefined,
): string | undefined {
  if (terminated === undefined) return undefined;
  const { reason, signal, exitCode } = terminated;
  return reason || (signal ? `Signal:${signal}` : `ExitCode:${exitCode}`);
}

/** Returns the status column of a pod that is being deleted. */
function endingOf(pod: Pod): string | undefined {
  if (pod.metadata.deletionTimestamp === undefined) return undefined;
  if (pod.status?.reason === "NodeLost") return "Unknown";
  return isFinishedPod(pod) ? undefined : "Terminating";
}

function isReadyRunning(container: ContainerStatus): boolean {
  const { ready, state = {} } = container;
  return ready && state.running !== undefined && reasonOf(container) === undefined;
}

function hasCondition({ status }: Pod, wanted: string): boolean {
  return (status?.conditions ?? []).some((one) => one.type === wanted && one.status === "True");
}

function latest(times: readonly (string | undefined)[]): string | undefined {
  return times
    .filter((time) => time !== undefined)
    .toSorted()
    .at(-1);
}

function restartsText({ restarts, restarted }: Summary, now: Date): string {
  const hasTime = restarts > 0 && restarted !== undefined;
  return hasTime ? `${restarts} (${ageOf(restarted, now)} ago)` : `${restarts}`;
}

function gatesText(pod: Pod): string {
  const { readinessGates = [] } = pod.spec;
  if (readinessGates.length === 0) return "<none>";
  const open = readinessGates.filter(({ conditionType }) => hasCondition(pod, conditionType));
  return `${open.length}/${readinessGates.length}`;
}
