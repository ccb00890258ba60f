// Made from the tables of src/api/schema by `make types`: change those.

import type { ObjectReference, PodTemplateSpec } from "./core.ts";
import type { LabelSelector, ListMeta, NamespacedMeta, ObjectMeta } from "./meta.ts";

/** Makes a Job at given times. */
export interface CronJob {
  apiVersion: "batch/v1";
  kind: "CronJob";
  metadata: NamespacedMeta;
  spec: CronJobSpec;
  status?: CronJobStatus;
}

export interface CronJobList {
  apiVersion: "batch/v1";
  kind: "CronJobList";
  metadata: ListMeta;
  items: CronJob[];
}

export interface CronJobSpec {
  schedule: string;
  timeZone?: string;
  startingDeadlineSeconds?: number;
  concurrencyPolicy?: "Allow" | "Forbid" | "Replace";
  suspend?: boolean;
  jobTemplate: JobTemplateSpec;
  successfulJobsHistoryLimit?: number;
  failedJobsHistoryLimit?: number;
}

export interface CronJobStatus {
  active?: ObjectReference[];
  lastScheduleTime?: string;
  lastSuccessfulTime?: string;
}

/** Runs pods until enough of them have succeeded. */
export interface Job {
  apiVersion: "batch/v1";
  kind: "Job";
  metadata: NamespacedMeta;
  spec: JobSpec;
  status?: JobStatus;
}

export interface JobCondition {
  type: string;
  status: string;
  lastProbeTime?: string;
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

export interface JobList {
  apiVersion: "batch/v1";
  kind: "JobList";
  metadata: ListMeta;
  items: Job[];
}

export interface JobSpec {
  parallelism?: number;
  completions?: number;
  activeDeadlineSeconds?: number;
  podFailurePolicy?: PodFailurePolicy;
  successPolicy?: SuccessPolicy;
  backoffLimit?: number;
  backoffLimitPerIndex?: number;
  maxFailedIndexes?: number;
  selector?: LabelSelector;
  manualSelector?: boolean;
  template: PodTemplateSpec;
  ttlSecondsAfterFinished?: number;
  completionMode?: "NonIndexed" | "Indexed";
  suspend?: boolean;
  podReplacementPolicy?: "Failed" | "TerminatingOrFailed";
  managedBy?: string;
}

export interface JobStatus {
  conditions?: JobCondition[];
  startTime?: string;
  completionTime?: string;
  active?: number;
  succeeded?: number;
  failed?: number;
  terminating?: number;
  completedIndexes?: string;
  failedIndexes?: string;
  uncountedTerminatedPods?: UncountedTerminatedPods;
  ready?: number;
}

export interface JobTemplateSpec {
  metadata?: ObjectMeta;
  spec?: JobSpec;
}

export interface PodFailurePolicy {
  rules: PodFailurePolicyRule[];
}

export interface PodFailurePolicyOnExitCodesRequirement {
  containerName?: string;
  operator: "In" | "NotIn";
  values: number[];
}

export interface PodFailurePolicyOnPodConditionsPattern {
  type: string;
  status?: string;
}

export interface PodFailurePolicyRule {
  action: "Count" | "FailIndex" | "FailJob" | "Ignore";
  onExitCodes?: PodFailurePolicyOnExitCodesRequirement;
  onPodConditions?: PodFailurePolicyOnPodConditionsPattern[];
}

export interface SuccessPolicy {
  rules: SuccessPolicyRule[];
}

export interface SuccessPolicyRule {
  succeededIndexes?: string;
  succeededCount?: number;
}

export interface UncountedTerminatedPods {
  succeeded?: string[];
  failed?: string[];
}
