import type { ReplicaSet, ReplicaSetSpec } from "../../types/apps.ts";
import { immutable, nonNegative } from "../checks.ts";
import type { Kind } from "../kind.ts";
import { specAndStatus } from "../spec-and-status.ts";
import { selectorText } from "../workloads/columns.ts";
import { replicaKeeper } from "../workloads/replica-keeper.ts";
import {
  defaultTemplate,
  endlessErrors,
  mismatchErrors,
  selectorErrors,
  validateTemplate,
} from "../workloads/template.ts";

export const replicaSet: Kind<ReplicaSet> = specAndStatus<ReplicaSet>({
  ...replicaKeeper(({ spec }) => selectorText(spec.selector)),
  default(object) {
    const spec = (object.spec ??= {} as ReplicaSetSpec);
    spec.replicas ??= 1;
    defaultTemplate((spec.template ??= {}));
  },
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
});
