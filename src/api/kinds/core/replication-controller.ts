import type { ReplicationController } from "../../types/core.ts";
import { nonNegative } from "../checks.ts";
import type { FieldError } from "../field-error.ts";
import { required } from "../field-errors.ts";
import type { Kind } from "../kind.ts";
import { specAndStatus } from "../spec-and-status.ts";
import { ageColumn, integer, labelsText, nameColumn, table, text, wide } from "../table.ts";
import { containersColumn, imagesColumn } from "../workloads/columns.ts";
import { availableErrors, countErrors, partErrors } from "../workloads/replica-counts.ts";
import {
  defaultTemplate,
  endlessErrors,
  mismatchErrors,
  validateTemplate,
} from "../workloads/template.ts";

export const replicationController: Kind<ReplicationController> =
  specAndStatus<ReplicationController>({
    default(object) {
      const spec = (object.spec ??= {});
      const labels = spec.template?.metadata?.labels;
      if (labels !== undefined) {
        if (Object.keys(spec.selector ?? {}).length === 0) spec.selector = { ...labels };
        object.metadata.labels ??= { ...labels };
      }
      spec.replicas ??= 1;
      if (spec.template !== undefined) defaultTemplate(spec.template);
    },
    initialStatus: () => ({ replicas: 0 }),
    validate: specErrors,
    validateStatusUpdate: ({ status }) => [
      ...countErrors(status, [
        "replicas",
        "fullyLabeledReplicas",
        "readyReplicas",
        "availableReplicas",
        "observedGeneration",
      ]),
      ...partErrors(status, ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"]),
      ...availableErrors(status),
    ],
    selectableFields: ["status.replicas"],
    selectableField: ({ status }) => String(status?.replicas ?? 0),
    table: table<ReplicationController>([
      nameColumn,
      integer("Desired", ({ spec }) => spec.replicas),
      integer("Current", ({ status }) => status?.replicas),
      integer("Ready", ({ status }) => status?.readyReplicas),
      ageColumn,
      wide(containersColumn(({ spec }) => spec.template)),
      wide(imagesColumn(({ spec }) => spec.template)),
      wide(text("Selector", ({ spec }) => labelsText(spec.selector))),
    ]),
  });

function specErrors({ spec }: ReplicationController): FieldError[] {
  const { template, selector = {} } = spec;
  const path = "spec.template";
  return [
    ...nonNegative("spec.minReadySeconds", spec.minReadySeconds),
    ...nonNegative("spec.replicas", spec.replicas),
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
