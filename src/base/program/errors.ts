// Errors as people see them: on the command line and in logs.

/** The error of a wrong command line: the message says how to use it, and the exit code is 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  /** The hint on what to do next, in one sentence. */
  readonly hint: string | undefined;

  constructor(message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.hint = options.hint;
  }
}

/** The message of a thrown value, without its causes. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message !== "") return error.message;
  return systemCode(error) ?? error.name;
}

/** The machine-readable kind of an error: its `reason`, or the `code` Node gives system errors. */
export function reasonOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ("reason" in error && typeof error.reason === "string") return error.reason;
  return systemCode(error);
}

/** The error, its cause, the cause of that, and so on; the errors of an AggregateError come in order. */
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

/** The error in one line: "Cannot sync: Cannot reach the server: connection refused", nothing repeated. */
export function describeError(error: unknown): string {
  const parts: string[] = [];
  for (const message of causesOf(error).map(messageOf)) {
    if (!parts.some((part) => part.includes(message))) parts.push(message);
  }
  return parts.join(": ");
}

/** The limit of error chains, for those that were built wrongly. */
const longestChain = 20;

/** The code of a failed system call, such as ENOENT. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
