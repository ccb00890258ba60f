import { IpamError } from "../../errors.ts";
import type { DatastoreParts } from "../parts.ts";

/** The clock and the random numbers for pauses between attempts. */
export interface Chance {
  /** Returns a number between 0 and 1. */
  readonly random: () => number;
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

export function systemChance({ random }: DatastoreParts): Chance {
  return {
    random: () => random.fraction(),
    now: () => performance.now(),
    sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  };
}

/** The time for which an operation is tried before its caller is told to try again later. */
const patienceMilliseconds = 60_000;
const firstPause = 4;
const longestPause = 500;

/** Repeats an attempt until no other writer was faster, with growing random pauses. */
export async function persist<T>(
  { now, random, sleep }: Chance,
  attempt: () => Promise<{ readonly value: T } | undefined>,
): Promise<T> {
  const deadline = now() + patienceMilliseconds;
  for (let pause = firstPause; ; pause = Math.min(2 * pause, longestPause)) {
    const result = await attempt();
    if (result !== undefined) return result.value;
    if (now() > deadline) {
      throw new IpamError(
        "tryAgainLater",
        `Cannot store reservations: others were faster for ${patienceMilliseconds / 1000} s`,
      );
    }
    await sleep(random() * pause);
  }
}
