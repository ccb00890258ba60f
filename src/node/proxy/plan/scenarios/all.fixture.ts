import { endpoints } from "./endpoints.fixture.ts";
import { families } from "./families.fixture.ts";
import { policies } from "./policies.fixture.ts";
import { precedence } from "./precedence.fixture.ts";
import type { Scenarios } from "./scenarios.fixture.ts";
import { sourceRanges } from "./source-ranges.fixture.ts";
import { waysIn } from "./ways-in.fixture.ts";

export const allScenarios: Scenarios = {
  ...waysIn,
  ...policies,
  ...sourceRanges,
  ...endpoints,
  ...families,
  ...precedence,
};
