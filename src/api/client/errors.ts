// The errors of requests, with their reason as a value. Callers ask the predicates below.

import type { Status, StatusDetails } from "../types/meta.ts";

/** The client's own reasons, for requests that got no answer; servers have reasons of their own. */
type LocalReason =
  /** The connection failed: the request was not carried out. */
  | "Unreachable"
  /** The connection ended before the answer did: the request may have been carried out. */
  | "ConnectionLost"
  | "TimedOut"
  /** The server's certificate is not trusted. */
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
  /** The Status object that the server returned. */
  readonly status: Status | undefined;
  /** The delay after which the server wants to be asked again. */
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
  /** The `Retry-After` header: seconds, as text. */
  readonly retryAfter?: string | undefined;
}

/** The error of a refused request; `action` is the request: `GET /api/v1/pods`. */
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

/** The error with which a watch ends when the server cannot continue it. */
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
/** Whether another writer changed the object first, or owns a field. */
export const isConflict = hasReason("Conflict");
/** Whether the requested revision, or the page to continue from, has been compacted. */
export const isGone = hasReason("Expired", "Gone");
export const isForbidden = hasReason("Forbidden");
export const isUnauthorized = hasReason("Unauthorized");
export const isInvalid = hasReason("Invalid");
export const isBadRequest = hasReason("BadRequest");
export const isTooManyRequests = hasReason("TooManyRequests");
/** Whether there was no answer in time, from the server or behind it: the outcome of a write is unknown. */
export const isTimeout = hasReason("TimedOut", "Timeout");
/** Whether the server is not available at present; a retry may succeed. */
export const isUnavailable = hasReason("Unreachable", "ConnectionLost", "ServiceUnavailable");
/** Whether the request was certainly not carried out, since it never reached a server. */
export const isUnreachable = hasReason("Unreachable");
export const isUntrusted = hasReason("Untrusted");

/** A predicate with the reason in its type, so that other errors do not narrow to never. */
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

/** The reasons of responses without a Status, such as those of a proxy in between. */
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
