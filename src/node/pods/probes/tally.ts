// Counts the outcomes of a probe against its thresholds.

import type { Probe } from "../../../api/types/core.ts";

export interface Tally {
  readonly isGood: boolean;
  /** The number of equal outcomes in a row. */
  readonly count: number;
}

export function counted(before: Tally | undefined, isGood: boolean): Tally {
  return { isGood, count: before?.isGood === isGood ? before.count + 1 : 1 };
}

/** Returns the outcome once it has reached its threshold, undefined before. */
export function decided({ isGood, count }: Tally, probe: Probe): boolean | undefined {
  const { successThreshold = 1, failureThreshold = 3 } = probe;
  return count >= (isGood ? successThreshold : failureThreshold) ? isGood : undefined;
}
