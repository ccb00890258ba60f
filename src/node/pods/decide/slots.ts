// The containers of a pod's spec, each with its kind.

import { isSidecar } from "../../../api/kinds/pod.ts";
import type { Container, EphemeralContainer, PodSpec } from "../../../api/types/core.ts";

export interface Slot {
  readonly name: string;
  readonly kind: "init" | "sidecar" | "main" | "ephemeral";
  readonly container: Container | EphemeralContainer;
  /** The field path for messages, such as `containers[0]`. */
  readonly path: string;
}

/** Returns the containers in the order in which they are started. */
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

/** Returns whether the container must have completed, or be up, before the main containers start. */
export function isEarly({ kind }: Slot): boolean {
  return kind === "init" || kind === "sidecar";
}

/** Returns whether the container is restarted after this exit code. */
export function restartsAfter(slot: Slot, spec: PodSpec, exitCode: number): boolean {
  const { restartPolicy = "Always" } = spec;
  if (slot.kind === "ephemeral") return false;
  if (slot.kind === "sidecar") return true;
  if (slot.kind === "init") return exitCode !== 0 && restartPolicy !== "Never";
  return restartPolicy === "Always" || (restartPolicy === "OnFailure" && exitCode !== 0);
}
