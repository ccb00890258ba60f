// The volumes of a pod's claims, as far as they decide about nodes.

import {
  bestVolume,
  classNameOf,
  isFullyBound,
  isMadeFor,
  isMeantFor,
} from "../../../api/kinds/storage.ts";
import { compileNodeSelector } from "../../../api/selectors/node-selector.ts";
import type { Node, PersistentVolume, PersistentVolumeClaim } from "../../../api/types/core.ts";
import type { StorageClass } from "../../../api/types/storage.ts";
import type { PodNeeds } from "./pod-needs.ts";

/** The claims, volumes and classes that the scheduler knows. */
export interface Storage {
  claim(key: string): PersistentVolumeClaim | undefined;
  volume(name: string): PersistentVolume | undefined;
  volumesOfClass(name: string): Iterable<PersistentVolume>;
  storageClass(name: string): StorageClass | undefined;
}

export interface PodVolumes {
  /** The volumes that the pod has already; `undefined` for one that is not there. */
  readonly bound: readonly (PersistentVolume | undefined)[];
  /** The claims that are bound when the node is known. */
  readonly open: readonly PersistentVolumeClaim[];
}

/** Returns the volumes of a pod, or why it cannot run anywhere. */
export function volumesOf(pod: PodNeeds, storage: Storage): PodVolumes | string {
  const bound: (PersistentVolume | undefined)[] = [];
  const open: PersistentVolumeClaim[] = [];
  for (const { name, isEphemeral } of pod.claims) {
    const claim = storage.claim(`${pod.namespace}/${name}`);
    const quoted = JSON.stringify(name);
    if (claim === undefined) {
      return isEphemeral
        ? `waiting for ephemeral volume controller to create the persistentvolumeclaim ${quoted}`
        : `persistentvolumeclaim ${quoted} not found`;
    }
    if (isEphemeral && !isMadeFor(pod.uid, claim)) {
      return `PVC ${pod.namespace}/${name} was not created for pod ${pod.key} (pod is not owner)`;
    }
    if (claim.metadata.deletionTimestamp !== undefined) {
      return `persistentvolumeclaim ${quoted} is being deleted`;
    }
    if (claim.status?.phase === "Lost") {
      return `persistentvolumeclaim ${quoted} bound to non-existent persistentvolume ${JSON.stringify(claim.spec.volumeName ?? "")}`;
    }
    if (isFullyBound(claim)) bound.push(storage.volume(claim.spec.volumeName ?? ""));
    else if (isDelayed(claim, storage)) open.push(claim);
    else return "pod has unbound immediate PersistentVolumeClaims";
  }
  return { bound, open };
}

export function isOnNode({ spec }: PersistentVolume, node: Node): boolean {
  const required = spec.nodeAffinity?.required;
  return required === undefined || compileNodeSelector(required)(node);
}

export interface NodeVolumes {
  readonly bind: readonly { claim: PersistentVolumeClaim; volume: PersistentVolume }[];
  readonly provision: readonly PersistentVolumeClaim[];
}

/** Decides which volumes open claims get on a node; `undefined` if there are none for one of them. */
export function volumesOn(
  node: Node,
  open: readonly PersistentVolumeClaim[],
  storage: Storage,
): NodeVolumes | undefined {
  const bind: { claim: PersistentVolumeClaim; volume: PersistentVolume }[] = [];
  const provision: PersistentVolumeClaim[] = [];
  const taken = new Set<string>();
  for (const claim of open) {
    const className = classNameOf(claim);
    const here = [...storage.volumesOfClass(className)].filter(
      (volume) => isOnNode(volume, node) && !taken.has(volume.metadata.name),
    );
    const volume = bestVolume(claim, here);
    if (volume !== undefined) {
      taken.add(volume.metadata.name);
      if (!isMeantFor(volume, claim)) bind.push({ claim, volume });
    } else if (canProvision(storage.storageClass(className), node)) provision.push(claim);
    else return undefined;
  }
  return { bind, provision };
}

function isDelayed(claim: PersistentVolumeClaim, storage: Storage): boolean {
  if (claim.spec.volumeName) return false;
  return storage.storageClass(classNameOf(claim))?.volumeBindingMode === "WaitForFirstConsumer";
}

function canProvision(storageClass: StorageClass | undefined, { metadata }: Node): boolean {
  if (storageClass === undefined) return false;
  const { provisioner, allowedTopologies = [] } = storageClass;
  if (provisioner === "kubernetes.io/no-provisioner") return false;
  if (allowedTopologies.length === 0) return true;
  return allowedTopologies.some(({ matchLabelExpressions = [] }) =>
    matchLabelExpressions.every(({ key, values }) => values.includes(metadata.labels?.[key] ?? "")),
  );
}
