// Filters by the volumes of a pod: where they are, where they could be made, and who uses them.

import type { ClusterState } from "../cluster-state.ts";
import type { PodNeeds } from "../pod-needs.ts";
import { isOnNode, volumesOf, volumesOn } from "../volumes.ts";
import { type Filter, fits } from "./filter.ts";

const missing = ["node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"];
const elsewhere = ["node(s) didn't match PersistentVolume's node affinity"];
const noVolumes = ["node(s) didn't find available persistent volumes to bind"];
const taken = [
  "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
];

export const volumeBinding: Filter = {
  name: "VolumeBinding",
  liftedBy: ["node", "storage"],
  refuse(pod, { storage }) {
    if (pod.claims.length === 0 || storage === undefined) return undefined;
    const volumes = volumesOf(pod, storage);
    return typeof volumes === "string" ? volumes : undefined;
  },
  prepare(pod, { storage }) {
    if (pod.claims.length === 0 || storage === undefined) return undefined;
    const volumes = volumesOf(pod, storage);
    if (typeof volumes === "string") return undefined;
    const { bound, open } = volumes;
    return ({ node }) => {
      if (bound.includes(undefined)) return missing;
      if (!bound.every((volume) => volume !== undefined && isOnNode(volume, node)))
        return elsewhere;
      return volumesOn(node, open, storage) === undefined ? noVolumes : fits;
    };
  },
};

export const volumeRestrictions: Filter = {
  name: "VolumeRestrictions",
  liftedBy: ["node", "pod gone"],
  isLiftedByPreemption: true,
  prepare(pod, state) {
    const exclusive = exclusiveClaims(pod, state);
    if (exclusive.size === 0) return undefined;
    for (const { needs } of state.placedIn(pod.namespace)) {
      if (needs.claims.some(({ name }) => exclusive.has(name))) return () => taken;
    }
    return undefined;
  },
};

/** Returns the pod's claims that one pod alone may use. */
function exclusiveClaims({ claims, namespace }: PodNeeds, { storage }: ClusterState): Set<string> {
  const names = claims.map(({ name }) => name);
  return new Set(
    names.filter((name) =>
      storage?.claim(`${namespace}/${name}`)?.spec.accessModes?.includes("ReadWriteOncePod"),
    ),
  );
}
