// Pods of a job: their names, their index, and when they ended.

import type { Job } from "../../../../api/types/batch.ts";
import type { Container, Pod } from "../../../../api/types/core.ts";
import type { Random } from "../../../../base/host/random.ts";
import { defined } from "../../../../base/json/defined.ts";
import { type PodDraft, suffixedPod } from "../pods/from-template.ts";

/** The finalizer that keeps a finished pod until it is counted. */
export const trackingFinalizer = "batch.kubernetes.io/job-tracking";
const indexAnnotation = "batch.kubernetes.io/job-completion-index";
const failuresAnnotation = "batch.kubernetes.io/job-index-failure-count";
const indexVariable = "JOB_COMPLETION_INDEX";

export function isTracked({ metadata }: Pod): boolean {
  return metadata.finalizers?.includes(trackingFinalizer) === true;
}

export function indexOf({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[indexAnnotation] ?? "";
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** Returns how often pods of the same index had failed before this one. */
export function failuresBefore({ metadata }: Pod): number {
  return Number(metadata.annotations?.[failuresAnnotation] ?? 0) || 0;
}

/** Returns when the last container ended, or the best guess. */
export function endedAt({ metadata, status }: Pod): number {
  const ends = (status?.containerStatuses ?? []).flatMap(({ state }) =>
    state?.terminated?.finishedAt === undefined ? [] : [Date.parse(state.terminated.finishedAt)],
  );
  if (ends.length > 0) return Math.max(...ends);
  const { deletionTimestamp, creationTimestamp } = metadata;
  return Date.parse(deletionTimestamp ?? creationTimestamp ?? "") || 0;
}

export interface JobPodOptions {
  /** The index in an indexed job. */
  readonly index?: number | undefined;
  readonly failures?: number;
  readonly random: Random;
}

export function jobPod(job: Job, { index, failures = 0, random }: JobPodOptions): PodDraft {
  const { name } = job.metadata;
  const prefix = index === undefined ? `${name}-` : `${name}-${index}-`;
  const draft = suffixedPod(job, job.spec.template, { prefix, random });
  const { finalizers = [] } = draft.metadata;
  const metadata = { ...draft.metadata, finalizers: [...finalizers, trackingFinalizer] };
  if (index === undefined) return { ...draft, metadata };
  const isCountedApart = job.spec.backoffLimitPerIndex !== undefined;
  return {
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, [indexAnnotation]: String(index) },
      annotations: {
        ...metadata.annotations,
        [indexAnnotation]: String(index),
        ...(isCountedApart ? { [failuresAnnotation]: String(failures) } : {}),
      },
    },
    spec: {
      ...draft.spec,
      hostname: `${name}-${index}`,
      containers: draft.spec.containers.map(withIndex),
      ...defined({ initContainers: draft.spec.initContainers?.map(withIndex) }),
    },
  };
}

/** Adds the index to a container's environment, unless the template sets it. */
function withIndex(container: Container): Container {
  const { env = [] } = container;
  if (env.some(({ name }) => name === indexVariable)) return container;
  const fieldPath = `metadata.annotations['${indexAnnotation}']`;
  return {
    ...container,
    env: [...env, { name: indexVariable, valueFrom: { fieldRef: { fieldPath } } }],
  };
}
