import type { ReplicaSet, ReplicaSetSpec } from "../../types/apps.ts";
import { immutable, nonNegative } from "../checks.ts";
import type { Kind } from "../kind.ts";
import { specAndStatus } from "../spec-and-status.ts";
import { ageColumn, integer, nameColumn, table, text, wide } from "../table.ts";
import { containersColumn, imagesColumn, selectorText } from "../workloads/columns.ts";
import { availableErrors, countErrors, partErrors } from "../workloads/replica-counts.ts";
import {
  defaultTemplate,
  endlessErrors,
  mismatchErrors,
  selectorErrors,
  validateTemplate,
} from "../workloads/template.ts";

export const replicaSet: Kind<ReplicaSet> = specAndStatus<ReplicaSet>({
  default(object) {
    const spec = (object.spec ??= {} as ReplicaSetSpec);
    spec.replicas ??= 1;
    defaultTemplate((spec.template ??= {}));
  },
  initialStatus: () => ({ replicas: 0 }),
  validate({ spec }) {
    const { template = {} } = spec;
    return [
      ...nonNegative("spec.replicas", spec.replicas),
      ...nonNegative("spec.minReadySeconds", spec.minReadySeconds),
      ...selectorErrors(spec.selector, "spec.selector", "deployment"),
      ...mismatchErrors(spec, "spec"),
      ...validateTemplate(template, "spec.template"),
      ...endlessErrors(template, "spec.template", "ReplicaSet"),
    ];
  },
  validateUpdate: ({ spec }, old) => immutable("spec.selector", spec.selector, old.spec.selector),
  validateStatusUpdate: ({ status }) => [
    ...countErrors(status, [
      "replicas",
      "fullyLabeledReplicas",
      "readyReplicas",
      "availableReplicas",
      "observedGeneration",
      "terminatingReplicas",
    ]),
    ...partErrors(status, ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"]),
    ...availableErrors(status),
  ],
  selectableFields: ["status.replicas"],
  selectableField: ({ status }) => String(status?.replicas ?? 0),
  table: table<ReplicaSet>([
    nameColumn,
    integer("Desired", ({ spec }) => spec.replicas),
    integer("Current", ({ status }) => status?.replicas),
    integer("Ready", ({ status }) => status?.readyReplicas),
    ageColumn,
    wide(containersColumn(({ spec }) => spec.template)),
    wide(imagesColumn(({ spec }) => spec.template)),
    wide(text("Selector", ({ spec }) => selectorText(spec.selector))),
  ]),
});
