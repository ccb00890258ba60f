import type { FieldError } from "../../fields/field-error.ts";
import type { Job, JobSpec } from "../../types/batch.ts";
import type { PodTemplateSpec } from "../../types/core.ts";
import { immutable } from "../checks.ts";

/** Refuses changes of the pod template; scheduling fields may change as long as no pod was created. */
export function jobTemplateChangeErrors(spec: JobSpec, old: Job): FieldError[] {
  const isWaiting = old.spec.suspend === true && old.status?.startTime === undefined;
  const now = isWaiting ? withoutPlacement(spec.template) : spec.template;
  const before = isWaiting ? withoutPlacement(old.spec.template) : old.spec.template;
  return immutable("spec.template", now, before);
}

function withoutPlacement(template: PodTemplateSpec): PodTemplateSpec {
  const { metadata = {}, spec = { containers: [] } } = structuredClone(template);
  delete metadata.annotations;
  delete metadata.labels;
  delete spec.affinity?.nodeAffinity;
  delete spec.nodeSelector;
  delete spec.tolerations;
  delete spec.schedulingGates;
  return { metadata, spec };
}
