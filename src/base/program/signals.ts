// Graceful shutdown: the first signal asks to stop, the second ends the process at once.

import { constants } from "node:os";

const stopSignals = ["SIGINT", "SIGTERM"] as const;
export type StopSignal = (typeof stopSignals)[number];

/** The reason with which the AbortSignal of `stopOnSignals` is aborted. */
export class StopRequested extends Error {
  override readonly name = "AbortError";
  readonly reason = "StopRequested";
  readonly exitCode: number;

  constructor(received: StopSignal) {
    super(`stopped by ${received}`);
    this.exitCode = exitCodeOf(received);
  }
}

/** The source of signals: `process` itself, or an event emitter in tests. */
export interface SignalSource {
  on(name: StopSignal, listener: (name: StopSignal) => void): unknown;
  off(name: StopSignal, listener: (name: StopSignal) => void): unknown;
  exit(code: number): void;
}

export interface Stopping {
  readonly signal: AbortSignal;
  /** Stops listening: signals end the process at once again. */
  [Symbol.dispose](): void;
}

export function stopOnSignals(source: SignalSource = process): Stopping {
  const controller = new AbortController();
  const receive = (received: StopSignal) => {
    if (controller.signal.aborted) source.exit(exitCodeOf(received));
    else controller.abort(new StopRequested(received));
  };
  for (const name of stopSignals) source.on(name, receive);
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      for (const name of stopSignals) source.off(name, receive);
    },
  };
}

/** The exit code with which shells report a process that a signal ended. */
function exitCodeOf(received: StopSignal): number {
  return 128 + constants.signals[received];
}
