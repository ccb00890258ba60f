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
