import { canonicalAmount } from "../../fields/quantity.ts";
import type { RuntimeClass } from "../../types/node.ts";
import type { Kind } from "../kind.ts";
import { validateLabels } from "../metadata.ts";
import { ageColumn, nameColumn, table, text } from "../table.ts";

export const runtimeClass: Kind<RuntimeClass> = {
  default({ overhead }) {
    const amounts = overhead?.podFixed ?? {};
    for (const [name, amount] of Object.entries(amounts)) amounts[name] = canonicalAmount(amount);
  },
  validate: ({ scheduling }) => validateLabels(scheduling?.nodeSelector, "scheduling.nodeSelector"),
  table: table<RuntimeClass>([nameColumn, text("Handler", ({ handler }) => handler), ageColumn]),
};
