import type { Clock } from "../../../base/host/clock.ts";

export interface Deadline extends Disposable {
  /** The signal that aborts when the time is over, or when the outer signal does, with its reason. */
  readonly signal: AbortSignal;
  /** Lifts the time limit; the outer signal still counts. */
  lift(): void;
}

export function deadline(
  outer: AbortSignal | undefined,
  options: { readonly clock: Clock; readonly timeoutMs: number; readonly late: () => Error },
): Deadline {
  const { clock, timeoutMs, late } = options;
  const stop = new AbortController();
  const onAbort = () => stop.abort(outer?.reason);
  if (outer?.aborted === true) onAbort();
  else outer?.addEventListener("abort", onAbort, { once: true });
  const timer = Number.isFinite(timeoutMs)
    ? clock.setTimer(timeoutMs, () => stop.abort(late()))
    : undefined;
  return {
    signal: stop.signal,
    lift: () => timer?.cancel(),
    [Symbol.dispose]: () => {
      timer?.cancel();
      outer?.removeEventListener("abort", onAbort);
    },
  };
}
