// Runs several long-lived parts as one: when one ends, all of them stop.

export interface Part {
  readonly name: string;
  /** Runs until the signal aborts; ending before that, with or without an error, is a failure. */
  run(signal: AbortSignal): Promise<void>;
}

export class PartFailedError extends AggregateError {
  override readonly name = "PartFailedError";
  readonly reason = "PartFailed";
  /** The part that failed first. */
  readonly part: string;

  constructor(failures: readonly [Failure, ...Failure[]]) {
    const [first] = failures;
    super(
      failures.map((failure) => failure.error),
      `Cannot keep ${first.part} running`,
    );
    this.part = first.part;
  }
}

/**
 * Runs all parts; resolves when the signal has stopped them; rejects when one fails, and stops the others.
 */
export async function runAll(parts: readonly Part[], signal: AbortSignal): Promise<void> {
  const failures: Failure[] = [];
  const stop = new AbortController();
  const stopAll = AbortSignal.any([signal, stop.signal]);
  await Promise.all(
    parts.map(async (part) => {
      const error = await failureOf(part, stopAll);
      if (error === undefined) return;
      failures.push({ part: part.name, error });
      stop.abort(error);
    }),
  );
  const [first, ...others] = failures;
  if (first !== undefined) throw new PartFailedError([first, ...others]);
}

interface Failure {
  readonly part: string;
  readonly error: unknown;
}

async function failureOf(part: Part, signal: AbortSignal): Promise<unknown> {
  try {
    await part.run(signal);
    return signal.aborted ? undefined : new Error("it ended without being asked to");
  } catch (error) {
    const isStop = signal.aborted && (error === signal.reason || isAbortError(error));
    return isStop ? undefined : error;
  }
}

function isAbortError(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}
