import type { Random } from "../../base/host/random.ts";

export interface BackOff {
  readonly initialMs: number;
  readonly maximumMs: number;
}

/**
 * How long to wait after so many failures in a row: doubled each time up to the maximum, then anything
 * from half of it to all of it, so that those who failed together do not come back together.
 */
export function delayAfter(failures: number, backOff: BackOff, random: Random): number {
  const { initialMs, maximumMs } = backOff;
  // Beyond 2^40 any maximum is reached, and the product stays a finite number.
  const full = Math.min(maximumMs, initialMs * 2 ** Math.min(40, Math.max(0, failures - 1)));
  return full * (0.5 + 0.5 * random.fraction());
}
