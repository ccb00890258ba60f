// etcd's errors with their reason as a value. Callers ask the predicates below.

export type EtcdReason =
  /** The revision asked for has been compacted. */
  | "compacted"
  /** The revision asked for has not been reached yet. */
  | "future"
  /** No member could be reached, or none that has a leader; nothing was carried out. */
  | "unavailable"
  /** The connection was lost, or the time was up, after a write had been sent. */
  | "unknown-outcome"
  /** The token is not, or no longer, valid. */
  | "unauthenticated"
  | "not-permitted"
  | "not-found"
  | "already-exists"
  /** The database, or the request, is larger than etcd allows. */
  | "too-large"
  /** A change of members has to wait: one is behind, another change is under way, or too few run. */
  | "not-yet"
  | "invalid"
  | "closed"
  | "failed";

interface EtcdErrorOptions extends ErrorOptions {
  readonly reason: EtcdReason;
}

export class EtcdError extends Error {
  override readonly name = "EtcdError";
  readonly reason: EtcdReason;

  constructor(message: string, options: EtcdErrorOptions) {
    super(message, options);
    this.reason = options.reason;
  }
}

export const isCompacted = hasReason("compacted");
export const isFuture = hasReason("future");
export const isUnavailable = hasReason("unavailable");
export const isUnknownOutcome = hasReason("unknown-outcome");
export const isUnauthenticated = hasReason("unauthenticated");
export const isNotPermitted = hasReason("not-permitted");
export const isNotFound = hasReason("not-found");
export const isTooLarge = hasReason("too-large");
export const isNotYet = hasReason("not-yet");
export const isInvalid = hasReason("invalid");
export const isClosed = hasReason("closed");

/** etcd's messages where the status code alone does not tell enough. The first match counts. */
const phrases: readonly (readonly [RegExp, EtcdReason])[] = [
  [/required revision has been compacted/, "compacted"],
  [/required revision is a future revision/, "future"],
  [/invalid auth token|revision of auth store is old/, "unauthenticated"],
  [/database space exceeded|request is too large|too many operations/, "too-large"],
  [/lease already exists/, "already-exists"],
  [
    /invalid user ID or password|permission denied|root user does not|is not granted/,
    "not-permitted",
  ],
  [/in sync with leader|too many learner|not enough started members|unhealthy cluster/, "not-yet"],
  // A member sends these before it carries anything out.
  [/no leader|too many requests|proposal dropped|not capable|is not ready/, "unavailable"],
];

const byStatus: Readonly<Record<number, EtcdReason>> = {
  1: "unknown-outcome",
  3: "invalid",
  4: "unknown-outcome",
  5: "not-found",
  6: "already-exists",
  7: "not-permitted",
  8: "too-large",
  12: "failed",
  14: "unknown-outcome",
  16: "unauthenticated",
};

/** The reason that an answer other than "OK" stands for. */
export function reasonOfStatus(status: number, details: string): EtcdReason {
  return phrases.find(([phrase]) => phrase.test(details))?.[1] ?? byStatus[status] ?? "failed";
}

function hasReason(reason: EtcdReason): (error: unknown) => error is EtcdError {
  return (error): error is EtcdError => error instanceof EtcdError && error.reason === reason;
}
