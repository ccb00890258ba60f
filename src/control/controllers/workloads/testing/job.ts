import type { Job } from "../../../../api/types/batch.ts";
import type { Pod, PodStatus } from "../../../../api/types/core.ts";
import { defined } from "../../../../base/json/defined.ts";
import { keptBy, podOf } from "./objects.ts";

export function jobOf(spec: Partial<Job["spec"]> = {}, status: Job["status"] = {}): Job {
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { namespace: "default", name: "work", uid: "job", generation: 1 },
    spec: {
      parallelism: 1,
      backoffLimit: 6,
      selector: { matchLabels: { job: "work" } },
      template: {
        metadata: { labels: { job: "work" } },
        spec: { containers: [{ name: "main" }], restartPolicy: "Never" as const },
      },
      ...spec,
    },
    status,
  };
}

export interface JobPodParts {
  readonly phase?: NonNullable<PodStatus["phase"]>;
  readonly index?: number;
  readonly failures?: number;
  readonly exitCode?: number;
  readonly endedAt?: string;
  readonly isTracked?: boolean;
  readonly isEnding?: boolean;
  readonly conditions?: NonNullable<Pod["status"]>["conditions"];
}

export function jobPodOf(name: string, parts: JobPodParts = {}): Pod {
  const { phase = "Running", index, failures, isTracked = true, isEnding = false } = parts;
  const { exitCode = phase === "Failed" ? 1 : 0, endedAt = "2026-01-01T00:00:00Z" } = parts;
  const isOver = phase === "Failed" || phase === "Succeeded";
  const prefix = "batch.kubernetes.io/";
  return podOf(name, {
    metadata: {
      ...keptBy(jobOf(), { job: "work" }),
      ...(isTracked ? { finalizers: [`${prefix}job-tracking`] } : {}),
      ...(isEnding ? { deletionTimestamp: endedAt } : {}),
      annotations: {
        ...(index === undefined ? {} : { [`${prefix}job-completion-index`]: String(index) }),
        ...(failures === undefined
          ? {}
          : { [`${prefix}job-index-failure-count`]: String(failures) }),
      },
    },
    status: {
      phase,
      ...defined({ conditions: parts.conditions }),
      containerStatuses: [
        {
          name: "main",
          image: "",
          imageID: "",
          ready: false,
          restartCount: 0,
          ...(isOver ? { state: { terminated: { exitCode, finishedAt: endedAt } } } : {}),
        },
      ],
    },
  });
}
