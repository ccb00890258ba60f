import { invalid } from "../../fields/field-errors.ts";
import type { Lease } from "../../types/coordination.ts";
import { nonNegative } from "../checks.ts";
import type { Kind } from "../kind.ts";
import { ageColumn, nameColumn, table, text } from "../table.ts";

export const lease: Kind<Lease> = {
  hasGeneration: false,
  default(object) {
    object.spec ??= {};
    // Nothing here chooses a leader by strategy: what asks for it is not kept.
    delete object.spec.strategy;
    delete object.spec.preferredHolder;
  },
  validate({ spec }) {
    const { leaseDurationSeconds, leaseTransitions } = spec;
    return [
      ...((leaseDurationSeconds ?? 1) > 0
        ? []
        : [invalid("spec.leaseDurationSeconds", leaseDurationSeconds, "must be greater than 0")]),
      ...nonNegative("spec.leaseTransitions", leaseTransitions),
    ];
  },
  table: table<Lease>([nameColumn, text("Holder", ({ spec }) => spec?.holderIdentity), ageColumn]),
};
