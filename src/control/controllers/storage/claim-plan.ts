// Decides what becomes of a claim: bound to a volume, given one, or waiting for something that its events name.

import type { Remark } from "../../../api/client/events.ts";
import {
  bestVolume,
  bindCompleted,
  classNameOf,
  isBoundTo,
  isMeantFor,
  mismatchOf,
  selectedNode,
} from "../../../api/kinds/storage.ts";
import type { PersistentVolume, PersistentVolumeClaim, Pod } from "../../../api/types/core.ts";
import type { StorageClass } from "../../../api/types/storage.ts";

export interface ClaimState {
  readonly claim: PersistentVolumeClaim;
  readonly volumeNamed: (name: string) => PersistentVolume | undefined;
  volumesOfClass(name: string): Iterable<PersistentVolume>;
  classNamed(name: string): StorageClass | undefined;
  readonly defaultClass: StorageClass | undefined;
  /** A pod that uses the claim and has no node yet. */
  readonly waitingPod: Pod | undefined;
}

export type ClaimStep =
  | { readonly type: "bind"; readonly volume: PersistentVolume }
  | { readonly type: "provision"; readonly storageClass: StorageClass }
  | { readonly type: "set class"; readonly name: string }
  | { readonly type: "wait"; readonly phase: "Pending" | "Lost"; readonly remark?: Remark };

export function planClaim(state: ClaimState): ClaimStep {
  const { claim } = state;
  if (claim.metadata.annotations?.[bindCompleted] !== undefined) return planBound(state);
  const name = claim.spec.volumeName ?? "";
  return name === "" ? planFree(state) : planNamed(state, name);
}

/** Whether a claim of this class waits until a pod of it is scheduled. */
export function waitsForConsumer(storageClass: StorageClass | undefined): boolean {
  return storageClass?.volumeBindingMode === "WaitForFirstConsumer";
}

function planFree(state: ClaimState): ClaimStep {
  const { claim, defaultClass } = state;
  const className = classNameOf(claim);
  const storageClass = className === "" ? undefined : state.classNamed(className);
  const isPlaced = claim.metadata.annotations?.[selectedNode] !== undefined;
  const isDelayed = waitsForConsumer(storageClass) && !isPlaced;
  const candidates = [...state.volumesOfClass(className)];
  // The scheduler chooses among volumes that are set aside for nobody, since their nodes matter then.
  const volume = bestVolume(
    claim,
    isDelayed ? candidates.filter((each) => isMeantFor(each, claim)) : candidates,
  );
  if (volume !== undefined) return { type: "bind", volume };
  if (claim.spec.storageClassName === undefined && className === "" && defaultClass !== undefined) {
    return { type: "set class", name: defaultClass.metadata.name };
  }
  if (isDelayed) return waiting(state);
  if (className === "") {
    const message = "no persistent volumes available for this claim and no storage class is set";
    return wait("Normal", "FailedBinding", message);
  }
  if (storageClass !== undefined) return { type: "provision", storageClass };
  const message = `storageclass.storage.k8s.io ${JSON.stringify(className)} not found`;
  return wait("Warning", "ProvisioningFailed", message);
}

function waiting({ waitingPod }: ClaimState): ClaimStep {
  if (waitingPod === undefined) {
    const message = "waiting for first consumer to be created before binding";
    return wait("Normal", "WaitForFirstConsumer", message);
  }
  const message = `waiting for pod ${waitingPod.metadata.name} to be scheduled`;
  return wait("Normal", "WaitForPodScheduled", message);
}

function planNamed({ claim, volumeNamed }: ClaimState, name: string): ClaimStep {
  const volume = volumeNamed(name);
  if (volume === undefined) return { type: "wait", phase: "Pending" };
  if (isMeantFor(volume, claim)) return { type: "bind", volume };
  if (volume.spec.claimRef !== undefined) {
    const message = `volume ${JSON.stringify(name)} already bound to a different claim.`;
    return wait("Warning", "FailedBinding", message);
  }
  const mismatch = mismatchOf(volume, claim);
  if (mismatch === undefined) return { type: "bind", volume };
  const message = `Cannot bind to requested volume ${JSON.stringify(name)}: ${mismatch}`;
  return wait("Warning", "VolumeMismatch", message);
}

/**
 * Looks after a claim that was bound before. Anybody who may write a claim may write the annotation that says
 * so, so a volume that is free is given only where it fits.
 */
function planBound(state: ClaimState): ClaimStep {
  const { claim } = state;
  const name = claim.spec.volumeName ?? "";
  const volume = name === "" ? undefined : state.volumeNamed(name);
  if (volume === undefined) {
    const message = "Bound claim has lost its PersistentVolume. Data on the volume is lost!";
    return lost("ClaimLost", message);
  }
  if (isBoundTo(volume, claim)) return { type: "bind", volume };
  const isFree = volume.spec.claimRef === undefined || isMeantFor(volume, claim);
  if (isFree && mismatchOf(volume, claim) === undefined) return { type: "bind", volume };
  const message = "Two claims are bound to the same volume, this one is bound incorrectly";
  return lost("ClaimMisbound", message);
}

function wait(type: Remark["type"], reason: string, message: string): ClaimStep {
  return { type: "wait", phase: "Pending", remark: { type, reason, message } };
}

function lost(reason: string, message: string): ClaimStep {
  return { type: "wait", phase: "Lost", remark: { type: "Warning", reason, message } };
}
