import type { Lease } from "../../types/coordination.ts";
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
  table: table<Lease>([nameColumn, text("Holder", ({ spec }) => spec?.holderIdentity), ageColumn]),
};
