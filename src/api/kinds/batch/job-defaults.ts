import type { JobSpec } from "../../types/batch.ts";
import { defaultTemplate } from "../workloads/template.ts";

const unlimited = 2 ** 31 - 1;

export function defaultJobSpec(spec: JobSpec): void {
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : unlimited;
  spec.completionMode ??= "NonIndexed";
  spec.suspend ??= false;
  spec.manualSelector ??= false;
  for (const { onPodConditions = [] } of spec.podFailurePolicy?.rules ?? []) {
    for (const pattern of onPodConditions) pattern.status ||= "True";
  }
  spec.podReplacementPolicy ??=
    spec.podFailurePolicy === undefined ? "TerminatingOrFailed" : "Failed";
  defaultTemplate((spec.template ??= {}));
}
