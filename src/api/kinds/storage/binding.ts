// The relation of claims to volumes: which volume a claim may have, and whose a volume is.

import { nanosOf } from "../../fields/quantity.ts";
import { compileLabelSelector } from "../../selectors/label-selector.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../types/core.ts";

export const bindCompleted = "pv.kubernetes.io/bind-completed";
export const boundByController = "pv.kubernetes.io/bound-by-controller";
export const provisionedBy = "pv.kubernetes.io/provisioned-by";
/** The annotation by which the scheduler tells a provisioner where the first pod of a claim will run. */
export const selectedNode = "volume.kubernetes.io/selected-node";
export const claimProtection = "kubernetes.io/pvc-protection";
export const volumeProtection = "kubernetes.io/pv-protection";

const classAnnotation = "volume.beta.kubernetes.io/storage-class";

/** Returns the class of a claim or a volume; "" for none. The annotation is older than the field, and wins. */
export function classNameOf({ metadata, spec }: PersistentVolume | PersistentVolumeClaim): string {
  return metadata.annotations?.[classAnnotation] ?? spec.storageClassName ?? "";
}

/** Whether the claim has a volume and the volume knows it. */
export function isFullyBound({ metadata, spec }: PersistentVolumeClaim): boolean {
  return !!spec.volumeName && metadata.annotations?.[bindCompleted] !== undefined;
}

/** Whether the volume is set aside for the claim: by name, and by uid once one is known. */
export function isMeantFor(
  { spec }: PersistentVolume,
  { metadata }: PersistentVolumeClaim,
): boolean {
  const { claimRef } = spec;
  return (
    claimRef?.namespace === metadata.namespace &&
    claimRef.name === metadata.name &&
    (!claimRef.uid || claimRef.uid === metadata.uid)
  );
}

/** Whether the volume belongs to this very claim, and not to one of the same name before it. */
export function isBoundTo(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  return isMeantFor(volume, claim) && volume.spec.claimRef?.uid === claim.metadata.uid;
}

/** Returns why the volume cannot be bound to the claim; `undefined` when it can. */
export function mismatchOf(
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
): string | undefined {
  if (volume.metadata.deletionTimestamp !== undefined) return "the volume is being deleted";
  if (sizeOf(volume) < requestedBy(claim)) return "requested PV is too small";
  if (classNameOf(volume) !== classNameOf(claim)) return "storageClassName does not match";
  if (modeOf(volume) !== modeOf(claim)) return "incompatible volumeMode";
  const { accessModes = [], volumeAttributesClassName: attributes = "" } = volume.spec;
  if (!(claim.spec.accessModes ?? []).every((mode) => accessModes.includes(mode))) {
    return "incompatible accessMode";
  }
  return attributes === (claim.spec.volumeAttributesClassName ?? "")
    ? undefined
    : "volumeAttributesClassName does not match";
}

/**
 * Returns the best of these volumes for a claim: the one that is set aside for it, else the one with the
 * fewest access modes and the least capacity that nobody has.
 */
export function bestVolume(
  claim: PersistentVolumeClaim,
  volumes: Iterable<PersistentVolume>,
): PersistentVolume | undefined {
  const labels = compileLabelSelector(claim.spec.selector);
  const free: PersistentVolume[] = [];
  for (const volume of volumes) {
    if (mismatchOf(volume, claim) !== undefined) continue;
    if (volume.spec.claimRef === undefined) {
      if (claim.spec.selector === undefined || labels.matches(volume)) free.push(volume);
    } else if (isMeantFor(volume, claim)) return volume;
  }
  return free.toSorted((one, other) => compare(ranksOf(one), ranksOf(other)))[0];
}

function ranksOf(volume: PersistentVolume): [number, bigint, string] {
  return [(volume.spec.accessModes ?? []).length, sizeOf(volume), volume.metadata.name];
}

function compare(left: [number, bigint, string], right: [number, bigint, string]): number {
  const index = left.findIndex((rank, at) => rank !== right[at]);
  if (index < 0) return 0;
  return (left[index] ?? 0) < (right[index] ?? 0) ? -1 : 1;
}

function sizeOf({ spec }: PersistentVolume): bigint {
  return nanosOf(spec.capacity?.["storage"] ?? "0");
}

function requestedBy({ spec }: PersistentVolumeClaim): bigint {
  return nanosOf(spec.resources?.requests?.["storage"] ?? "0");
}

function modeOf({ spec }: PersistentVolume | PersistentVolumeClaim): string {
  return spec.volumeMode ?? "Filesystem";
}
