import type { Lease } from "../../types/coordination.ts";
import type { Kind } from "../kind.ts";
import { ageColumn, nameColumn, table, text } from "../table.ts";

export const lease: Kind<Lease> = {
  hasGeneration: false,
  default(object) {
    object.spec ??= {};
    // A strategy is dropped, since no part of Tandem elects leaders by strategy.
    delete object.spec.strategy;
    delete object.spec.preferredHolder;
  },
  table: table<Lease>([nameColumn, text("Holder", ({ spec }) => spec?.holderIdentity), ageColumn]),
};
