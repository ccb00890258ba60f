import type { Random } from "../../base/host/random.ts";

export interface BackOff {
  readonly initialMs: number;
  readonly maximumMs: number;
}

/**
 * The delay after so many failures in a row: doubled each time up to the maximum, then a random part of it
 * between half and all, so that clients that failed together do not retry together.
 */
export function delayAfter(failures: number, backOff: BackOff, random: Random): number {
  const { initialMs, maximumMs } = backOff;
  // The exponent is limited: beyond 2^40 any maximum is reached, and the product stays finite.
  const full = Math.min(maximumMs, initialMs * 2 ** Math.min(40, Math.max(0, failures - 1)));
  return full * (0.5 + 0.5 * random.fraction());
}
