export interface Timer {
  cancel(): void;
}

/** A clock, passed in, so that tests can advance the time by hand. */
export interface Clock {
  /** The time of day in milliseconds since 1970. May jump. */
  now(): number;
  /** The monotonic time in milliseconds since some moment; never goes back. */
  monotonic(): number;
  /** Sleeps; rejects with the signal's reason when it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  setTimer(ms: number, callback: () => void): Timer;
}

/** Sleeps until the time is up or the signal aborts, without an error: for loops that check the signal. */
export async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  await clock.sleep(ms, signal).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}
