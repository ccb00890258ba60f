import { IpamError } from "../../errors.ts";
import type { DatastoreParts } from "../parts.ts";

/** Time and luck, for those who wait between attempts. */
export interface Chance {
  /** Between 0 and 1. */
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

/** How long something is tried for before its caller is asked to try again later. */
const patienceMilliseconds = 60_000;
const firstPause = 4;
const longestPause = 500;

/** Tries until nobody else was faster, with pauses that grow and differ from one to the next. */
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
