// The containers of a pod, and what each is there for.

import { isSidecar } from "../../../api/kinds/pod.ts";
import type { Container, EphemeralContainer, PodSpec } from "../../../api/types/core.ts";

export interface Slot {
  readonly name: string;
  readonly kind: "init" | "sidecar" | "main" | "ephemeral";
  readonly container: Container | EphemeralContainer;
  /** `containers[0]`, for messages. */
  readonly path: string;
}

/** In the order in which they are started. */
export function slotsOf(spec: PodSpec): readonly Slot[] {
  const { initContainers = [], containers, ephemeralContainers = [] } = spec;
  return [
    ...initContainers.map((container, index) => ({
      name: container.name,
      kind: isSidecar(container) ? ("sidecar" as const) : ("init" as const),
      container,
      path: `initContainers[${index}]`,
    })),
    ...containers.map((container, index) => ({
      name: container.name,
      kind: "main" as const,
      container,
      path: `containers[${index}]`,
    })),
    ...ephemeralContainers.map((container, index) => ({
      name: container.name,
      kind: "ephemeral" as const,
      container,
      path: `ephemeralContainers[${index}]`,
    })),
  ];
}

/** Those that must have ended, or be up, before the main ones begin. */
export function isEarly({ kind }: Slot): boolean {
  return kind === "init" || kind === "sidecar";
}

/** Whether the container begins again when it ends so. */
export function restartsAfter(slot: Slot, spec: PodSpec, exitCode: number): boolean {
  const { restartPolicy = "Always" } = spec;
  if (slot.kind === "ephemeral") return false;
  if (slot.kind === "sidecar") return true;
  if (slot.kind === "init") return exitCode !== 0 && restartPolicy !== "Never";
  return restartPolicy === "Always" || (restartPolicy === "OnFailure" && exitCode !== 0);
}
