// The claims of a StatefulSet's pods: each pod has its own of every template, which outlive it unless the set's
// retention policy says otherwise.

import type { Draft } from "../../../../api/client/objects.ts";
import type { StatefulSet } from "../../../../api/types/apps.ts";
import type { PersistentVolumeClaim, Pod, Volume } from "../../../../api/types/core.ts";
import type { OwnerReference } from "../../../../api/types/meta.ts";
import { sameJson } from "../../../../base/json/value.ts";
import { referenceTo } from "../ownership.ts";

/** Returns the names of a pod's claims, by the template of each. */
export function claimNames(set: StatefulSet, ordinal: number): Map<string, string> {
  const templates = (set.spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata.name);
  return new Map(templates.map((name) => [name, `${name}-${set.metadata.name}-${ordinal}`]));
}

export function claimDrafts(set: StatefulSet, ordinal: number): Draft<PersistentVolumeClaim>[] {
  const names = claimNames(set, ordinal);
  return (set.spec.volumeClaimTemplates ?? []).map(({ metadata, spec }) => ({
    metadata: {
      namespace: set.metadata.namespace,
      name: names.get(metadata.name) ?? "",
      labels: { ...metadata.labels, ...set.spec.selector.matchLabels },
      ...(metadata.annotations === undefined ? {} : { annotations: { ...metadata.annotations } }),
    },
    spec: structuredClone(spec),
  }));
}

/** Returns the volumes of a pod with those of its claims, which take the place of others of the same name. */
export function withClaims(
  volumes: readonly Volume[] | undefined,
  names: ReadonlyMap<string, string>,
): Volume[] {
  const claimed = [...names].map(([name, claimName]) => ({
    name,
    persistentVolumeClaim: { claimName },
  }));
  return [...claimed, ...(volumes ?? []).filter(({ name }) => !names.has(name))];
}

export interface Holder {
  readonly set: StatefulSet;
  readonly pod: Pod;
  /** Whether the pod's number is beyond those that the set wants. */
  readonly isSurplus: boolean;
}

/**
 * Returns a claim with the owners that its retention policy wants; `undefined` if it has them. Whoever owns a
 * claim takes it along: the set when it is deleted, the pod when the set is scaled down.
 */
export function withOwners(
  claim: PersistentVolumeClaim,
  { set, pod, isSurplus }: Holder,
): PersistentVolumeClaim | undefined {
  const { whenDeleted = "Retain", whenScaled = "Retain" } =
    set.spec.persistentVolumeClaimRetentionPolicy ?? {};
  const isPods = whenScaled === "Delete" && isSurplus;
  const isSets = whenDeleted === "Delete" && !isPods;
  const { ownerReferences = [] } = claim.metadata;
  const others = ownerReferences.filter(
    ({ uid }) => uid !== set.metadata.uid && uid !== pod.metadata.uid,
  );
  // A claim that somebody else manages is none of the set's business.
  if (others.some(({ controller }) => controller === true)) return undefined;
  const wanted: OwnerReference[] = [
    ...others,
    ...(isSets ? [referenceTo({ ...set, apiVersion: "apps/v1", kind: "StatefulSet" })] : []),
    ...(isPods ? [referenceTo({ ...pod, apiVersion: "v1", kind: "Pod" })] : []),
  ];
  if (sameJson(wanted, ownerReferences)) return undefined;
  return { ...claim, metadata: { ...claim.metadata, ownerReferences: wanted } };
}
