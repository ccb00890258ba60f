import type { Container, EphemeralContainer, PodSpec } from "../../types/core.ts";

const lists = ["initContainers", "containers", "ephemeralContainers"] as const;

export interface ContainerPlace {
  readonly container: Container | EphemeralContainer;
  /** `containers[0]` */
  readonly path: string;
}

/** Every container of a pod, of whatever sort. */
export function everyContainer(spec: PodSpec): ContainerPlace[] {
  return lists.flatMap((list) =>
    (spec[list] ?? []).map((container, index) => ({ container, path: `${list}[${index}]` })),
  );
}

/** An init container that goes on running beside the others. */
export function isSidecar(container: Container | undefined): boolean {
  return container?.restartPolicy === "Always";
}
