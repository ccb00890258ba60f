// The door of the simulation: it seals the process, then loads the code under test.

import { seal } from "./sealed.ts";

export type { Outcome } from "./run-seed.ts";

/** Returns the function that runs a seed. */
export async function openSimulator(): Promise<typeof import("./run-seed.ts").runSeed> {
  seal();
  const { runSeed } = await import("./run-seed.ts");
  return runSeed;
}
