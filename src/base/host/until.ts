import type { Clock } from "./clock.ts";

export interface UntilOptions {
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** The condition that is waited for, as in "the server answers". */
  readonly what: string;
  readonly limitMs: number;
  /** The milliseconds between two attempts; 25 when not given. */
  readonly pauseMs?: number;
}

/** The error of a wait whose time is up. */
export class TooLongError extends Error {
  override readonly name = "TooLongError";

  constructor({ what, limitMs }: UntilOptions) {
    super(`Cannot wait any longer until ${what}: ${limitMs / 1000} s have passed`);
  }
}

/** Polls until there is an answer. */
export async function until<T>(
  ask: () => Promise<T | undefined>,
  options: UntilOptions,
): Promise<T> {
  const { clock, signal, limitMs, pauseMs = 25 } = options;
  const deadline = clock.monotonic() + limitMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (clock.monotonic() > deadline) throw new TooLongError(options);
    await clock.sleep(pauseMs, signal);
  }
}
