// What a deployment writes on its replica sets, and on itself.

import type { Deployment, ReplicaSet } from "../../../../api/types/apps.ts";

export const revisionAnnotation = "deployment.kubernetes.io/revision";
const historyAnnotation = "deployment.kubernetes.io/revision-history";
const desiredAnnotation = "deployment.kubernetes.io/desired-replicas";
const maximumAnnotation = "deployment.kubernetes.io/max-replicas";
const appliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

/** What a set does not take over from its deployment. */
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

/** Of the deployment's annotations those that its newest set carries too. */
export function inherited({ metadata }: Deployment): Annotations {
  const entries = Object.entries(metadata.annotations ?? {});
  return Object.fromEntries(entries.filter(([key]) => !own.includes(key)));
}

/** With a new revision, and the former one kept. */
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

/** How many pods there should be, and may be, when a set was last given its size. */
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
