// An open-loop generator: requests are sent at their time, whether or not earlier ones have been answered, so
// that a server that stalls is charged for everything that waits.

import { setTimeout as sleep } from "node:timers/promises";

export interface Pace {
  /** The number of requests in a second. */
  readonly rate: number;
  readonly count: number;
}

/** The latencies in milliseconds, from the time at which a request was due; and how many failed. */
export interface Outcome {
  readonly latencies: readonly number[];
  readonly failures: number;
}

export async function openLoop(
  { rate, count }: Pace,
  send: (n: number) => Promise<unknown>,
): Promise<Outcome> {
  const started = performance.now();
  const latencies: number[] = [];
  let failures = 0;
  const running: Promise<void>[] = [];
  for (let n = 0; n < count; n++) {
    const due = started + (1000 * n) / rate;
    const early = due - performance.now();
    if (early > 0) await sleep(early);
    const one = send(n).then(
      () => void latencies.push(performance.now() - due),
      () => void failures++,
    );
    running.push(one);
  }
  await Promise.all(running);
  return { latencies, failures };
}
