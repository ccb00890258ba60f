import type { FieldError } from "../../fields/field-error.ts";
import { required } from "../../fields/field-errors.ts";
import type { ReplicationController } from "../../types/core.ts";
import type { Kind } from "../kind.ts";
import { specAndStatus } from "../spec-and-status.ts";
import { labelsText } from "../table.ts";
import { replicaKeeper } from "../workloads/replica-keeper.ts";
import {
  defaultTemplate,
  endlessErrors,
  mismatchErrors,
  validateTemplate,
} from "../workloads/template.ts";

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
          ...mismatchErrors({ selector: { matchLabels: selector }, template }, "spec"),
          ...validateTemplate(template, path),
          ...endlessErrors(template, path, "ReplicationController"),
        ]),
  ];
}
