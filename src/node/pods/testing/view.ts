import type { ContainerState } from "../../runtime/runtime.ts";
import { type ContainerView, type PodView, untouched } from "../decide/view.ts";
import { podOf } from "./pod.ts";

/** The time at which all pods and containers of these views started. */
export const start = Date.parse("2026-01-01T00:00:00Z");

export function stateOf(name: string, parts: Partial<ContainerState> = {}): ContainerState {
  return {
    id: name,
    labels: {
      podUid: "uid",
      podNamespace: "default",
      podName: "web",
      container: name,
      kind: "container",
      attempt: 0,
    },
    image: "image",
    logPath: "/log",
    status: "running",
    startedAt: new Date(start),
    ...parts,
  };
}

/** Returns a container that is running and ready. */
export function running(name: string): ContainerView {
  return { ...untouched, isStarted: true, isReady: true, nextAttempt: 1, current: stateOf(name) };
}

export function ended(name: string, exitCode: number, crashes = 1): ContainerView {
  const current = stateOf(name, { status: "exited", exitCode, finishedAt: new Date(start) });
  return { ...untouched, crashes, nextAttempt: 1, current };
}

/** Returns a view of a pod whose sandbox and volumes are ready. */
export function viewOf(
  pod = podOf("web"),
  containers: Readonly<Record<string, ContainerView>> = {},
  parts: Partial<PodView> = {},
): PodView {
  return {
    pod,
    isGone: false,
    since: start,
    sandbox: { state: "ready" },
    volumes: { state: "ready" },
    podIPs: [],
    containers: new Map(Object.entries(containers)),
    delays: { initialMs: 10_000, maximumMs: 300_000, resetMs: 600_000 },
    ...parts,
  };
}
