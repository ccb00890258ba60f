import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { families } from "../../../../base/net/family.ts";
import { openState, outcomeText, put, send } from "../testing/scenario.ts";
import { allScenarios } from "../testing/scenarios/all.ts";
import { cells } from "../testing/scenarios/scenarios.ts";

for (const [name, scenario] of Object.entries(allScenarios)) {
  describe(name, () => {
    for (const family of families) {
      const state = openState(scenario);
      put(state, scenario.objects(family));
      state.takeChange();
      for (const { from, to, expected } of cells(scenario, family)) {
        test(`${family}: ${from} to ${to}: ${expected}`, () => {
          assert.equal(outcomeText(send(state, family, [from, to]), family), expected);
        });
      }
    }
  });
}
