import type { Clock } from "./clock.ts";

export interface UntilOptions {
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** What is waited for, as in "the server answers". */
  readonly what: string;
  readonly limitMs: number;
  /** Between two questions; 25 when not given. */
  readonly pauseMs?: number;
}

/** What was waited for has not come. */
export class TooLongError extends Error {
  override readonly name = "TooLongError";

  constructor({ what, limitMs }: UntilOptions) {
    super(`Cannot wait any longer until ${what}: ${limitMs / 1000} s have passed`);
  }
}

/** Asks again and again until there is an answer. */
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
