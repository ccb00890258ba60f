// Errors as people meet them: on the command line and in logs.

/** The request itself is wrong: the command line says how to ask, and exits with 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  /** What to do next, in one sentence. */
  readonly hint: string | undefined;

  constructor(message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.hint = options.hint;
  }
}

/** What a thrown value says, without its causes. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message !== "") return error.message;
  return codeOf(error) ?? error.name;
}

/** The machine-readable kind of an error: its `reason`, or the `code` Node gives system errors. */
export function reasonOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ("reason" in error && typeof error.reason === "string") return error.reason;
  return codeOf(error);
}

/** The error, what caused it, what caused that, and so on; errors that were gathered come in order. */
export function causesOf(error: unknown): unknown[] {
  const chain: unknown[] = [];
  const pending = [error];
  while (pending.length > 0 && chain.length < longestChain) {
    const next = pending.shift();
    if (next === undefined || chain.includes(next)) continue;
    chain.push(next);
    if (next instanceof AggregateError) pending.push(...(next.errors as unknown[]));
    if (next instanceof Error) pending.push(next.cause);
  }
  return chain;
}

/** One line: "Cannot sync: Cannot reach the server: connection refused", nothing said twice. */
export function describeError(error: unknown): string {
  const parts: string[] = [];
  for (const message of causesOf(error).map(messageOf)) {
    if (!parts.some((part) => part.includes(message))) parts.push(message);
  }
  return parts.join(": ");
}

/** A bound for error chains that were built wrongly. */
const longestChain = 20;

function codeOf(error: Error): string | undefined {
  return "code" in error && typeof error.code === "string" ? error.code : undefined;
}
