import type { FieldError } from "../../fields/field-error.ts";
import { invalid, required } from "../../fields/field-errors.ts";
import type { PodTemplateSpec, ReplicationController } from "../../types/core.ts";
import type { Kind } from "../kind.ts";
import { specAndStatus } from "../spec-and-status.ts";
import { labelsText } from "../table.ts";
import { replicaKeeper } from "../workloads/replica-keeper.ts";
import { defaultTemplate, endlessErrors, validateTemplate } from "../workloads/template.ts";

export const replicationController: Kind<ReplicationController> =
  specAndStatus<ReplicationController>({
    ...replicaKeeper(({ spec }) => labelsText(spec.selector)),
    default(object) {
      const spec = (object.spec ??= {});
      const labels = spec.template?.metadata?.labels;
      if (labels !== undefined) {
        if (Object.keys(spec.selector ?? {}).length === 0) spec.selector = { ...labels };
        object.metadata.labels ??= { ...labels };
      }
      if (spec.template !== undefined) defaultTemplate(spec.template);
    },
    validate: specErrors,
  });

function specErrors({ spec }: ReplicationController): FieldError[] {
  const { template, selector = {} } = spec;
  const path = "spec.template";
  return [
    ...(Object.keys(selector).length === 0 ? [required("spec.selector")] : []),
    ...(template === undefined
      ? [required(path)]
      : [
          ...mismatchErrors(selector, template),
          ...validateTemplate(template, path),
          ...endlessErrors(template, path, "ReplicationController"),
        ]),
  ];
}

/** Checks that all that is selected is in the template, whose labels are checked to be labels. */
function mismatchErrors(
  selector: Readonly<Record<string, string>>,
  { metadata }: PodTemplateSpec,
): FieldError[] {
  const labels = metadata?.labels ?? {};
  if (Object.entries(selector).every(([key, value]) => labels[key] === value)) return [];
  const detail = "`selector` does not match template `labels`";
  return [invalid("spec.template.metadata.labels", labels, detail)];
}
