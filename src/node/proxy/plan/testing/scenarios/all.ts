import { endpoints } from "./endpoints.ts";
import { families } from "./families.ts";
import { policies } from "./policies.ts";
import { precedence } from "./precedence.ts";
import type { Scenarios } from "./scenarios.ts";
import { sourceRanges } from "./source-ranges.ts";
import { waysIn } from "./ways-in.ts";

export const allScenarios: Scenarios = {
  ...waysIn,
  ...policies,
  ...sourceRanges,
  ...endpoints,
  ...families,
  ...precedence,
};
