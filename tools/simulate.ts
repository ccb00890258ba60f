// Runs seeds of the simulation: `tools/simulate.ts --seed 1 --seeds 1000`, one of them with `--seed N`. With `--bugs`
// it plants one bug after the other and prints after how many seeds each is found.

import { parseArgs } from "node:util";
import { openSimulator, type Simulator } from "../test/simulation/simulator.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    seeds: { type: "string", default: "1" },
    bugs: { type: "boolean", default: false },
  },
});
const first = Number(values.seed);
const count = Number(values.seeds);
const simulator = await openSimulator();
process.exit((await (values.bugs ? plantBugs : runSeeds)(simulator)) ? 0 : 1);

async function runSeeds({ runSeed }: Simulator): Promise<boolean> {
  const started = process.cpuUsage();
  let failed = 0;
  let steps = 0;
  for (let seed = first; seed < first + count; seed++) {
    const { error, fingerprint, ...outcome } = await runSeed(seed);
    steps += outcome.steps;
    if (count === 1)
      console.log(`seed ${seed}: ${outcome.steps} steps, fingerprint ${fingerprint}`);
    if (error === undefined) continue;
    failed += 1;
    console.log(`seed ${seed}: ${count === 1 ? error.stack : error.message}`);
  }
  const { user, system } = process.cpuUsage(started);
  console.log(
    `${count} seeds, ${failed} failed, ${steps} steps, ${(user + system) / 1e6} s of CPU`,
  );
  return failed === 0;
}

async function plantBugs({ plantedBugs, seedsUntilFound }: Simulator): Promise<boolean> {
  let isAllFound = true;
  for (const [bug, planted] of Object.entries(plantedBugs)) {
    const found = await seedsUntilFound(planted, { first, most: count });
    isAllFound &&= found !== undefined;
    console.log(`| ${bug} | ${found?.seeds ?? "none"} | ${found?.error.message ?? ""} |`);
  }
  return isAllFound;
}
