// The claims that a pod's volumes name: those of others, and ephemeral ones that are the pod's own.

import type { PersistentVolumeClaim, Pod, Volume } from "../../types/core.ts";

export interface PodClaim {
  readonly name: string;
  /** The name of the volume in the pod. */
  readonly volume: string;
  readonly readOnly: boolean;
  /** Whether the claim is made for the pod, owned by it, and deleted with it. */
  readonly isEphemeral: boolean;
}

export function claimsOf(pod: Pod): PodClaim[] {
  return (pod.spec.volumes ?? []).flatMap((volume) => claimOf(pod, volume) ?? []);
}

export function claimOf(pod: Pod, volume: Volume): PodClaim | undefined {
  const { name, persistentVolumeClaim: claim, ephemeral } = volume;
  if (claim !== undefined) {
    const { claimName, readOnly = false } = claim;
    return { name: claimName, volume: name, readOnly, isEphemeral: false };
  }
  if (ephemeral?.volumeClaimTemplate === undefined) return undefined;
  const claimName = `${pod.metadata.name}-${name}`;
  return { name: claimName, volume: name, readOnly: false, isEphemeral: true };
}

/**
 * Whether an ephemeral claim is this pod's. A claim of that name that somebody else made would let a pod read
 * what was never meant for it.
 */
export function isMadeFor(podUid: string | undefined, claim: PersistentVolumeClaim): boolean {
  return (claim.metadata.ownerReferences ?? []).some(
    ({ kind, uid, controller }) => kind === "Pod" && uid === podUid && controller === true,
  );
}
