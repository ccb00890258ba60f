// Volumes made for claims: directories of the node that the scheduler chose.

import type { Draft } from "../../../api/client/objects.ts";
import { directoryParts, selectedNode } from "../../../api/kinds/storage.ts";
import type { Node, PersistentVolume, PersistentVolumeClaim } from "../../../api/types/core.ts";
import type { StorageClass } from "../../../api/types/storage.ts";

export interface Order {
  readonly claim: PersistentVolumeClaim;
  readonly storageClass: StorageClass;
  readonly node: Node | undefined;
}

/** Returns why there can be no directory for this claim; `undefined` if there can. */
export function refusalOf({ claim, storageClass, node }: Order): string | undefined {
  const { spec } = claim;
  const wanted = JSON.stringify(claim.metadata.annotations?.[selectedNode] ?? "");
  const several = (spec.accessModes ?? []).find((mode) => !single.includes(mode));
  const parameters = Object.keys(storageClass.parameters ?? {});
  if (parameters.length > 0) return cannot(`storage class parameter ${parameters[0]} is not known`);
  if ((storageClass.mountOptions ?? []).length > 0) return cannot("it takes no mountOptions");
  if (spec.selector !== undefined) {
    return cannot("claim.Spec.Selector is not supported for dynamic provisioning");
  }
  if (spec.dataSource !== undefined || spec.dataSourceRef !== undefined) {
    return cannot("it cannot be filled from spec.dataSource");
  }
  if (spec.volumeMode === "Block") return cannot("spec.volumeMode Block is not supported");
  if (several !== undefined) {
    return cannot(`spec.accessModes has ${several}, and a directory is on one node only`);
  }
  if (claim.metadata.annotations?.[selectedNode] === undefined) {
    return cannot("the storage class needs volumeBindingMode WaitForFirstConsumer");
  }
  if (node === undefined) return cannot(`there is no node ${wanted}`);
  // Longer names cannot be the value of the label by which the node finds the volume.
  return node.metadata.name.length > 63
    ? cannot("the name of the node has more than 63 characters")
    : undefined;
}

const single: readonly string[] = ["ReadWriteOnce", "ReadWriteOncePod"];

/** Returns the volume of a claim, which is bound to it from the start. */
export function directoryVolume({ claim, storageClass, node }: Order): Draft<PersistentVolume> {
  const { namespace, name, uid = "" } = claim.metadata;
  const { storage = "0" } = claim.spec.resources?.requests ?? {};
  const handle = `pvc-${uid}`;
  const nodeName = node?.metadata.name ?? "";
  const hostname = node?.metadata.labels?.["kubernetes.io/hostname"] ?? nodeName;
  const { metadata, source } = directoryParts({ handle, node: nodeName, hostname });
  return {
    metadata,
    spec: {
      capacity: { storage },
      accessModes: claim.spec.accessModes ?? [],
      volumeMode: "Filesystem",
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? "Delete",
      storageClassName: storageClass.metadata.name,
      claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name, uid },
      ...source,
    },
  };
}

function cannot(state: string): string {
  return `Cannot make a directory for the claim: ${state}`;
}
