// Runs seeds of the simulation: `tools/simulate.ts --seed 1 --seeds 1000`, or one of them with `--seed N`.

import { parseArgs } from "node:util";
import { openSimulator } from "../test/simulation/simulator.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    seeds: { type: "string", default: "1" },
  },
});
const first = Number(values.seed);
const count = Number(values.seeds);
const runSeed = await openSimulator();
const started = process.cpuUsage();
let failed = 0;
let steps = 0;
for (let seed = first; seed < first + count; seed++) {
  const outcome = await runSeed(seed);
  steps += outcome.steps;
  if (count === 1) console.log(`seed ${seed}: ${outcome.steps} steps, ${outcome.fingerprint}`);
  if (outcome.error === undefined) continue;
  failed += 1;
  console.log(`seed ${seed}: ${count === 1 ? outcome.error.stack : outcome.error.message}`);
}
const { user, system } = process.cpuUsage(started);
console.log(`${count} seeds, ${failed} failed, ${steps} steps, ${(user + system) / 1e6} s of CPU`);
process.exit(failed > 0 ? 1 : 0);
