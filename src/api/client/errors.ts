// Why a request failed, as a value. Callers ask the predicates below.

import type { Status, StatusDetails } from "../types/meta.ts";

/** Reasons of this side, for requests that got no answer; servers have reasons of their own. */
type LocalReason =
  /** No connection came about: the request was not carried out. */
  | "Unreachable"
  /** The connection ended before the answer did: the request may have been carried out. */
  | "ConnectionLost"
  | "TimedOut"
  /** What answers is not who it should be. */
  | "Untrusted";

interface ApiErrorOptions extends ErrorOptions {
  readonly reason: string;
  readonly code?: number;
  readonly status?: Status | undefined;
  readonly retryAfterMs?: number | undefined;
}

export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly reason: string;
  /** The HTTP status; 0 when there was no answer. */
  readonly code: number;
  /** What the server said, in its own words. */
  readonly status: Status | undefined;
  /** When the server wants to be asked again. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: ApiErrorOptions) {
    super(message, options);
    this.reason = options.reason;
    this.code = options.code ?? 0;
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
  }

  get details(): StatusDetails | undefined {
    return this.status?.details;
  }
}

interface Refusal {
  readonly code: number;
  readonly body: string;
  /** Seconds, as the header has them. */
  readonly retryAfter?: string | undefined;
}

/** `action` is what was asked: `GET /api/v1/pods`. */
export function refused(action: string, { code, body, retryAfter = "" }: Refusal): ApiError {
  const status = parseStatus(body);
  const said = status?.message || body.trim().slice(0, 500) || `the server answered ${code}`;
  return new ApiError(`Cannot ${action}: ${said}`, {
    reason: status?.reason || reasonOfCode(code),
    code,
    status,
    retryAfterMs: /^\d{1,6}$/.test(retryAfter) ? 1000 * Number(retryAfter) : undefined,
  });
}

/** What a watch ends with when the server cannot go on. */
export function refusedByStatus(action: string, status: Status): ApiError {
  const code = status.code ?? 500;
  return new ApiError(`Cannot ${action}: ${status.message ?? `the server answered ${code}`}`, {
    reason: status.reason || reasonOfCode(code),
    code,
    status,
  });
}

export function unanswered(
  action: string,
  { reason, state, cause }: { reason: LocalReason; state: string; cause?: unknown },
): ApiError {
  return new ApiError(`Cannot ${action}: ${state}`, { reason, cause });
}

export const isNotFound = hasReason("NotFound");
export const isAlreadyExists = hasReason("AlreadyExists");
/** Somebody else changed the object first, or owns a field. */
export const isConflict = hasReason("Conflict");
/** The asked revision, or the page to go on from, is forgotten. */
export const isGone = hasReason("Expired", "Gone");
export const isForbidden = hasReason("Forbidden");
export const isUnauthorized = hasReason("Unauthorized");
export const isInvalid = hasReason("Invalid");
export const isBadRequest = hasReason("BadRequest");
export const isTooManyRequests = hasReason("TooManyRequests");
/** Nobody answered in time, here or behind the server: what became of a write is not known. */
export const isTimeout = hasReason("TimedOut", "Timeout");
/** The server is not there at present; it may be worth while to try again. */
export const isUnavailable = hasReason("Unreachable", "ConnectionLost", "ServiceUnavailable");
/** Not carried out for certain, since it never got to a server. */
export const isUnreachable = hasReason("Unreachable");
export const isUntrusted = hasReason("Untrusted");

/** With the reason in its type, so that an error which is not one of these is still an error. */
function hasReason<const R extends string>(...reasons: readonly R[]) {
  return (error: unknown): error is ApiError & { readonly reason: R } =>
    error instanceof ApiError && (reasons as readonly string[]).includes(error.reason);
}

function parseStatus(body: string): Status | undefined {
  if (!body.startsWith("{")) return undefined;
  try {
    const parsed = JSON.parse(body) as Status;
    return parsed.kind === "Status" ? parsed : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** For answers without a Status, such as those of a proxy in between. */
const reasonsByCode: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  406: "NotAcceptable",
  409: "Conflict",
  410: "Gone",
  413: "RequestEntityTooLarge",
  415: "UnsupportedMediaType",
  422: "Invalid",
  429: "TooManyRequests",
  502: "ServiceUnavailable",
  503: "ServiceUnavailable",
  504: "Timeout",
};

function reasonOfCode(code: number): string {
  return reasonsByCode[code] ?? (code >= 500 ? "InternalError" : "Unknown");
}
