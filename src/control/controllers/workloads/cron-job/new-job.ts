import type { Draft } from "../../../../api/client/objects.ts";
import { timestamp } from "../../../../api/fields/timestamp.ts";
import type { CronJob, Job } from "../../../../api/types/batch.ts";
import { referenceTo } from "../ownership.ts";

export type JobDraft = Draft<Job> & Pick<Job, "metadata">;

const timeAnnotation = "batch.kubernetes.io/cronjob-scheduled-timestamp";

/** Returns the job for a time. Its name depends on the time, so that it cannot be created twice. */
export function newJob(cronJob: CronJob, time: number): JobDraft {
  const { metadata, spec } = cronJob.spec.jobTemplate;
  return {
    metadata: {
      namespace: cronJob.metadata.namespace,
      name: `${cronJob.metadata.name}-${Math.floor(time / 60_000)}`,
      labels: { ...metadata?.labels },
      annotations: { ...metadata?.annotations, [timeAnnotation]: timestamp(time) },
      ownerReferences: [referenceTo(cronJob)],
    },
    spec: structuredClone(spec ?? { template: {} }),
  };
}
