import type { ReplicaSet } from "../../types/apps.ts";
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
    defaultTemplate((object.spec.template ??= {}));
  },
  validate({ spec }) {
    const { template = {} } = spec;
    return [
      ...selectorErrors(spec.selector, "spec.selector", "deployment"),
      ...mismatchErrors(spec, "spec"),
      ...validateTemplate(template, "spec.template"),
      ...endlessErrors(template, "spec.template", "ReplicaSet"),
    ];
  },
});
