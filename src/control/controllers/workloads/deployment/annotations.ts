// Annotations that a Deployment writes on its ReplicaSets, and on itself.

import type { Deployment, ReplicaSet } from "../../../../api/types/apps.ts";

export const revisionAnnotation = "deployment.kubernetes.io/revision";
const historyAnnotation = "deployment.kubernetes.io/revision-history";
const desiredAnnotation = "deployment.kubernetes.io/desired-replicas";
const maximumAnnotation = "deployment.kubernetes.io/max-replicas";
const appliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

/** The annotations that a ReplicaSet does not inherit from its Deployment. */
const own: readonly string[] = [
  revisionAnnotation,
  historyAnnotation,
  desiredAnnotation,
  maximumAnnotation,
  appliedAnnotation,
];

type Annotations = Record<string, string>;

export function revisionOf({ metadata }: ReplicaSet): number {
  return Number(metadata.annotations?.[revisionAnnotation] ?? 0);
}

/** Returns the Deployment's annotations that its newest ReplicaSet inherits. */
export function inherited({ metadata }: Deployment): Annotations {
  const entries = Object.entries(metadata.annotations ?? {});
  return Object.fromEntries(entries.filter(([key]) => !own.includes(key)));
}

/** Returns the annotations with a new revision; the previous one is added to the history. */
export function withRevision(annotations: Annotations, revision: number): Annotations {
  const before = annotations[revisionAnnotation];
  if (Number(before ?? 0) >= revision) return annotations;
  const past = [annotations[historyAnnotation], before].filter((text) => text !== undefined);
  return {
    ...annotations,
    [revisionAnnotation]: String(revision),
    ...(past.length === 0 ? {} : { [historyAnnotation]: past.join(",") }),
  };
}

/**
 * Returns annotations with the desired and the maximum number of pods at the time a ReplicaSet was scaled.
 */
export function sizeAnnotations(desired: number, maximum: number): Annotations {
  return { [desiredAnnotation]: String(desired), [maximumAnnotation]: String(maximum) };
}

export function desiredOf({ metadata }: ReplicaSet): number | undefined {
  return numberIn(metadata.annotations?.[desiredAnnotation]);
}

export function maximumOf({ metadata }: ReplicaSet): number | undefined {
  return numberIn(metadata.annotations?.[maximumAnnotation]);
}

function numberIn(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
