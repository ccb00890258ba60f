import { Address } from "../net/address.ts";
import type { Interval } from "../net/intervals.ts";
import type { Span } from "../net/range.ts";

/** Finds the lowest run of taken addresses that does not end below a value. */
export type Seeker = (value: bigint) => Interval | undefined;

/** The lowest address of a span that no seeker finds taken. Leaps from run to run. */
export function lowestFree(within: Span, seekers: readonly Seeker[]): Address | undefined {
  let candidate = within.first.value;
  for (let agreed = 0; agreed < seekers.length; ) {
    agreed = 0;
    for (const seek of seekers) {
      const run = seek(candidate);
      if (run === undefined || run.first > candidate) agreed++;
      else candidate = run.last + 1n;
    }
    if (candidate > within.last.value) return undefined;
  }
  return Address.of(within.first.family, candidate);
}

/** Seeks in several sets at once. */
export function lowestOf(seekers: readonly Seeker[]): Seeker {
  return (value) => {
    let lowest: Interval | undefined;
    for (const seek of seekers) {
      const run = seek(value);
      if (run !== undefined && (lowest === undefined || run.first < lowest.first)) lowest = run;
    }
    return lowest;
  };
}
