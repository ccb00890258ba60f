import type { Container, EphemeralContainer, PodSpec } from "../../types/core.ts";

const lists = ["initContainers", "containers", "ephemeralContainers"] as const;

export interface ContainerPlace {
  readonly container: Container | EphemeralContainer;
  /** The path of the container, such as `containers[0]`. */
  readonly path: string;
}

/** Returns every container of a pod: init, regular and ephemeral. */
export function everyContainer(spec: PodSpec): ContainerPlace[] {
  return lists.flatMap((list) =>
    (spec[list] ?? []).map((container, index) => ({ container, path: `${list}[${index}]` })),
  );
}

/** Returns whether an init container goes on running beside the others. */
export function isSidecar(container: Container | undefined): boolean {
  return container?.restartPolicy === "Always";
}
