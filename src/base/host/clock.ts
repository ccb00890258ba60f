export interface Timer {
  cancel(): void;
}

/** Time, passed in, so that tests can turn it by hand. */
export interface Clock {
  /** Milliseconds since 1970. May jump. */
  now(): number;
  /** Milliseconds since some moment; never goes back. */
  monotonic(): number;
  /** Rejects with the signal's reason when it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  setTimer(ms: number, callback: () => void): Timer;
}

/** Sleeps until the time is up or the signal comes, whichever is first: for loops that look at it themselves. */
export async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  await clock.sleep(ms, signal).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}
