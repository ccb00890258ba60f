// The door of the simulation: it seals the process, then loads the code under test.

import type { Planted } from "./planted.ts";
import type { Outcome } from "./run-seed.ts";
import { seal } from "./sealed.ts";

export interface Simulator {
  /** Runs one seed. */
  readonly runSeed: (seed: number) => Promise<Outcome>;
  readonly plantedBugs: Readonly<Record<string, Planted>>;
  /** Runs seeds with a planted bug until one finds it; undefined when none of them does. */
  readonly seedsUntilFound: (planted: Planted, seeds: Seeds) => Promise<Found | undefined>;
}

interface Seeds {
  readonly first: number;
  readonly most: number;
}

interface Found {
  readonly seeds: number;
  readonly error: Error;
}

export async function openSimulator(): Promise<Simulator> {
  seal();
  const { runSeed } = await import("./run-seed.ts");
  const { plantedBugs } = await import("./planted-bugs.ts");
  return {
    runSeed,
    plantedBugs,
    seedsUntilFound: async (planted, { first, most }) => {
      for (let seeds = 1; seeds <= most; seeds++) {
        const { error } = await runSeed(first + seeds - 1, planted);
        if (error !== undefined) return { seeds, error };
      }
      return undefined;
    },
  };
}
