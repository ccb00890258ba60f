// Decides what becomes of a volume: its phase, and what happens to it when its claim is gone.

import { boundByController, directoryDriver, provisionedBy } from "../../../api/kinds/storage.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../../api/types/core.ts";

export interface VolumeState {
  readonly volume: PersistentVolume;
  /** The claim that the volume refers to, as far as it is there. */
  readonly claim: PersistentVolumeClaim | undefined;
}

export type VolumeStep =
  | { readonly type: "phase"; readonly phase: "Available" | "Bound" }
  /** Nothing to do: the claim's turn binds the two. */
  | { readonly type: "claim" }
  /** The reference to the claim was made here, and the claim has another volume. */
  | { readonly type: "unbind" }
  | { readonly type: "release"; readonly reclaim: Reclaim };

export type Reclaim =
  | { readonly type: "keep" }
  | { readonly type: "delete" }
  | { readonly type: "fail"; readonly reason: string; readonly message: string };

export function planVolume({ volume, claim }: VolumeState): VolumeStep {
  const { claimRef } = volume.spec;
  if (claimRef === undefined || !claimRef.uid) {
    // A volume that is set aside by name is bound when the claim of that name looks for one.
    return claimRef !== undefined && claim !== undefined && !claim.spec.volumeName
      ? { type: "claim" }
      : { type: "phase", phase: "Available" };
  }
  if (claim === undefined || claim.metadata.uid !== claimRef.uid) {
    return { type: "release", reclaim: reclaimOf(volume) };
  }
  if (!claim.spec.volumeName) return { type: "claim" };
  if (claim.spec.volumeName === volume.metadata.name) return { type: "phase", phase: "Bound" };
  const isProvisioned = volume.metadata.annotations?.[provisionedBy] !== undefined;
  if (isProvisioned && volume.spec.persistentVolumeReclaimPolicy === "Delete") {
    return { type: "release", reclaim: reclaimOf(volume) };
  }
  return { type: "unbind" };
}

/** Returns a volume without the reference to its claim; one that a user made stays, for claims to come. */
export function unbound(volume: PersistentVolume): PersistentVolume {
  const { claimRef, ...spec } = volume.spec;
  const { [boundByController]: mark, ...annotations } = volume.metadata.annotations ?? {};
  const metadata = { ...volume.metadata, annotations };
  if (mark !== undefined || claimRef === undefined) return { ...volume, metadata, spec };
  const { uid: _, resourceVersion: __, ...name } = claimRef;
  return { ...volume, metadata, spec: { ...spec, claimRef: name } };
}

function reclaimOf({ metadata, spec }: PersistentVolume): Reclaim {
  const { persistentVolumeReclaimPolicy: policy = "Retain" } = spec;
  if (policy === "Retain" || metadata.deletionTimestamp !== undefined) return { type: "keep" };
  if (policy === "Recycle") {
    const message = "No recycler plugin found for the volume!";
    return { type: "fail", reason: "VolumeFailedRecycle", message };
  }
  const provisioner = metadata.annotations?.[provisionedBy];
  if (provisioner === directoryDriver) return { type: "delete" };
  // Provisioners of others watch their volumes themselves.
  if (provisioner !== undefined) return { type: "keep" };
  const name = JSON.stringify(metadata.name);
  const message = `error getting deleter volume plugin for volume ${name}: no deletable volume plugin matched`;
  return { type: "fail", reason: "VolumeFailedDelete", message };
}
