// When outcomes of a probe amount to a change of mind.

import type { Probe } from "../../../api/types/core.ts";

export interface Tally {
  readonly isGood: boolean;
  /** How many of the kind in a row. */
  readonly count: number;
}

export function counted(before: Tally | undefined, isGood: boolean): Tally {
  return { isGood, count: before?.isGood === isGood ? before.count + 1 : 1 };
}

/** Nothing as long as it may still be chance. */
export function decided({ isGood, count }: Tally, probe: Probe): boolean | undefined {
  const { successThreshold = 1, failureThreshold = 3 } = probe;
  return count >= (isGood ? successThreshold : failureThreshold) ? isGood : undefined;
}
