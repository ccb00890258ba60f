// Seeds of the simulation. A seed that fails is printed, and repeats: TANDEM_SEED=N node --test on this file, or
// tools/simulate.ts --seed N.

import assert from "node:assert/strict";
import { test } from "node:test";
import { openSimulator } from "./simulator.ts";

const isSoak = process.env["TANDEM_SOAK"] === "1";
const chosen = process.env["TANDEM_SEED"];
const first = Number(chosen ?? 1);
const count = chosen === undefined ? (isSoak ? 100_000 : 60) : 1;

/** The number of seeds within which every planted bug is found. */
const mostSeeds = 1_000;

const { runSeed, plantedBugs, seedsUntilFound } = await openSimulator();

test(`no invariant is violated by seed ${first} and ${count - 1} further ones`, async () => {
  for (let seed = first; seed < first + count; seed++) {
    const { error } = await runSeed(seed);
    const again = `TANDEM_SEED=${seed} node --test test/simulation/simulation.test.ts`;
    assert.equal(error, undefined, `seed ${seed} (again: ${again}): ${error?.stack}`);
  }
});

test("a seed repeats exactly", async () => {
  const twice = [await runSeed(first), await runSeed(first)];
  assert.deepEqual(twice[0], twice[1]);
});

for (const [bug, planted] of isSoak ? Object.entries(plantedBugs) : []) {
  test(`a planted bug is found: ${bug}`, async () => {
    assert.notEqual(await seedsUntilFound(planted, { first: 1, most: mostSeeds }), undefined);
  });
}
