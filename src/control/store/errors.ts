// Reasons why a store refused or failed, as values. Callers use the predicates below.

type StoreReason =
  /** The requested revision has been compacted; read the newest state and go on from there. */
  | "expired"
  /** The requested revision has not been reached yet. */
  | "future"
  /** The transaction may or may not have been committed, or may still be: read before writing again. */
  | "unknown-outcome"
  /** The store cannot be reached or written to at present; nothing was committed. */
  | "unavailable"
  /** Another process has the data directory open. */
  | "in-use"
  /** The data on disk is not what was written there. */
  | "damaged"
  /** The call itself is wrong: a malformed key, a key that occurs twice, an incomplete address. */
  | "invalid"
  /** The store was closed. */
  | "closed";

interface StoreErrorOptions extends ErrorOptions {
  readonly reason: StoreReason;
}

export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly reason: StoreReason;

  constructor(message: string, options: StoreErrorOptions) {
    super(message, options);
    this.reason = options.reason;
  }
}

export const isExpired = hasReason("expired");
export const isFuture = hasReason("future");
export const isUnknownOutcome = hasReason("unknown-outcome");
export const isUnavailable = hasReason("unavailable");
export const isInUse = hasReason("in-use");
export const isDamaged = hasReason("damaged");
export const isInvalid = hasReason("invalid");
export const isClosed = hasReason("closed");

function hasReason(reason: StoreReason): (error: unknown) => error is StoreError {
  return (error): error is StoreError => error instanceof StoreError && error.reason === reason;
}
