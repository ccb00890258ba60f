// Volumes that are directories of one node, made by Tandem's own provisioner.

import type { PersistentVolume } from "../../types/core.ts";
import { provisionedBy } from "./binding.ts";

/** The name of the provisioner in storage classes, and of the driver in volumes. */
export const directoryDriver = "directory.tandem.internal";

/** Keeps a volume's object until its node has seen to the directory. */
export const directoryFinalizer = "directory.tandem.internal/kept";

/** The label with the name of the node; a node may watch the volumes that have its own. */
const nodeLabel = "directory.tandem.internal/node";

/**
 * Returns the name of the volume's directory; `undefined` if it is no such volume. The handle must be the
 * volume's own name: another one could lead to the directory of another volume, or out of the folder.
 */
export function directoryOf({ metadata, spec }: PersistentVolume): string | undefined {
  const { driver, volumeHandle = "" } = spec.csi ?? {};
  if (driver !== directoryDriver || volumeHandle !== metadata.name) return undefined;
  return /^[a-z0-9]([-a-z0-9]{0,251}[a-z0-9])?$/.test(volumeHandle) ? volumeHandle : undefined;
}

/** Returns the name of the node whose directory the volume is. */
export function nodeOfDirectory({ metadata, spec }: PersistentVolume): string | undefined {
  return spec.csi?.driver === directoryDriver ? metadata.labels?.[nodeLabel] : undefined;
}

/** Returns the selector of the volumes that are directories of a node. */
export function directoriesOfNode(node: string): string {
  return `${nodeLabel}=${node}`;
}

export interface DirectoryVolume {
  readonly handle: string;
  readonly node: string;
  /** The value of the node's label `kubernetes.io/hostname`, by which the volume is tied to it. */
  readonly hostname: string;
}

/** Returns the parts of a volume that make it a directory of one node. */
export function directoryParts({ handle, node, hostname }: DirectoryVolume) {
  const key = "kubernetes.io/hostname";
  const required = {
    nodeSelectorTerms: [
      { matchExpressions: [{ key, operator: "In" as const, values: [hostname] }] },
    ],
  };
  return {
    metadata: {
      name: handle,
      labels: { [nodeLabel]: node },
      annotations: { [provisionedBy]: directoryDriver },
      finalizers: [directoryFinalizer],
    },
    source: {
      csi: { driver: directoryDriver, volumeHandle: handle },
      nodeAffinity: { required },
    },
  };
}
