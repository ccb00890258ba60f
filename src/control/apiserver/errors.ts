// Every way a request can fail, in one table: the reason and code clients act on, and the wording
// kubectl prints.

import type { FieldError } from "../../api/fields/field-error.ts";
import { fieldErrorBody, fieldErrorText } from "../../api/fields/field-error-text.ts";
import { defined } from "../../base/json/defined.ts";
import { isClosed, isExpired, isUnavailable, isUnknownOutcome } from "../store/store.ts";

const codes = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  AlreadyExists: 409,
  Conflict: 409,
  Expired: 410,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  TooManyRequests: 429,
  RequestHeaderFieldsTooLarge: 431,
  InternalError: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
} as const;

export type Reason = keyof typeof codes;

export interface Cause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export interface Details {
  readonly name?: string;
  readonly group?: string;
  /** The resource, or the kind for Invalid; that is what kubectl expects. */
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly Cause[];
  readonly retryAfterSeconds?: number;
}

export interface Status {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly metadata: { readonly continue?: string };
  readonly status: "Success" | "Failure";
  readonly message?: string;
  readonly reason?: Reason;
  readonly details?: Details;
  readonly code: number;
}

export interface StatusOptions {
  readonly details?: Details;
  readonly continueToken?: string;
  readonly cause?: unknown;
  readonly isFinal?: boolean;
  /** The code, where it does not follow from the reason: webhooks choose both. */
  readonly code?: number;
}

export class StatusError extends Error {
  readonly reason: Reason;
  readonly details: Details | undefined;
  /** The token of an expired list, with which a client may go on at the price of consistency. */
  readonly continueToken: string | undefined;
  /** Says that newer state would not change the answer, such as that of a webhook. */
  readonly isFinal: boolean;
  readonly #code: number | undefined;

  constructor(reason: Reason, message: string, options: StatusOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "StatusError";
    this.reason = reason;
    this.details = options.details;
    this.continueToken = options.continueToken;
    this.isFinal = options.isFinal ?? false;
    this.#code = options.code;
  }

  get code(): number {
    return this.#code ?? codes[this.reason];
  }

  toStatus(): Status {
    return {
      kind: "Status",
      apiVersion: "v1",
      metadata: this.continueToken === undefined ? {} : { continue: this.continueToken },
      status: "Failure",
      message: this.message,
      ...((this.reason as string) === "" ? {} : { reason: this.reason }),
      ...defined({ details: this.details }),
      code: this.code,
    };
  }
}

/** A group and a plural (or kind) name; `deployments.apps` in messages. */
export interface GroupName {
  readonly group: string;
  readonly name: string;
}

export function qualified({ group, name }: GroupName): string {
  return group === "" ? name : `${name}.${group}`;
}

export const notFound = (resource: GroupName, name: string) =>
  new StatusError("NotFound", `${qualified(resource)} ${quote(name)} not found`, {
    details: about(resource, name),
  });

/** A path, version or resource this server does not have. */
export const noSuchResource = () =>
  new StatusError("NotFound", "the server could not find the requested resource", { details: {} });

export const alreadyExists = (resource: GroupName, name: string) =>
  new StatusError("AlreadyExists", `${qualified(resource)} ${quote(name)} already exists`, {
    details: about(resource, name),
  });

export const nameExhausted = (resource: GroupName, name: string) =>
  new StatusError(
    "AlreadyExists",
    `${qualified(resource)} ${quote(name)} already exists, the server was not able to generate a unique name for the object`,
    { details: { ...about(resource, name), retryAfterSeconds: 1 } },
  );

export const conflict = (resource: GroupName, name: string, state: string) =>
  new StatusError(
    "Conflict",
    `Operation cannot be fulfilled on ${qualified(resource)} ${quote(name)}: ${state}`,
    { details: about(resource, name) },
  );

export const modified = (resource: GroupName, name: string) =>
  conflict(
    resource,
    name,
    "the object has been modified; please apply your changes to the latest version and try again",
  );

/** A conflict of server-side apply; `causes` name the manager that owns each field. */
export const applyConflict = (message: string, causes: readonly Cause[]) =>
  new StatusError("Conflict", message, { details: { causes } });

/** Refuses a request; `given` is the name of the object, which may have none before it has been validated. */
export const forbidden = (
  resource: GroupName,
  given: string | undefined,
  why: string,
  causes?: readonly Cause[],
) => {
  const name = given ?? "";
  const subject = name === "" ? qualified(resource) : `${qualified(resource)} ${quote(name)}`;
  const message = resource.name === "" ? `forbidden: ${why}` : `${subject} is forbidden: ${why}`;
  return new StatusError("Forbidden", message, {
    details: { ...about(resource, name), ...defined({ causes }) },
  });
};

export const unauthorized = () => new StatusError("Unauthorized", "Unauthorized");

export const badRequest = (message: string, cause?: unknown) =>
  new StatusError("BadRequest", message, { cause });

export const methodNotAllowed = () =>
  new StatusError(
    "MethodNotAllowed",
    "the server does not allow this method on the requested resource",
    {
      details: {},
    },
  );

export const notAcceptable = (supported: readonly string[]) =>
  new StatusError(
    "NotAcceptable",
    `only the following media types are accepted: ${supported.join(", ")}`,
  );

export const unsupportedMediaType = (supported: readonly string[]) =>
  new StatusError(
    "UnsupportedMediaType",
    `the body of the request was in an unknown format - accepted media types include: ${supported.join(", ")}`,
  );

export const expired = (message: string, continueToken?: string) =>
  new StatusError("Expired", message, continueToken === undefined ? {} : { continueToken });

export const resourceVersionTooOld = (requested: number, oldest: number) =>
  expired(`too old resource version: ${requested} (${oldest})`);

export const resourceVersionTooLarge = (requested: number, newest: number) =>
  new StatusError(
    "Timeout",
    `Timeout: Too large resource version: ${requested}, current: ${newest}`,
    {
      details: {
        causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
        retryAfterSeconds: 1,
      },
    },
  );

export const tooLarge = (limit: number) =>
  new StatusError("RequestEntityTooLarge", `Request entity too large: limit is ${limit}`);

/** A refusal to store a large object, because everybody who reads it would pay for it. */
export const objectTooLarge = (resource: GroupName, name: string, limit: number) =>
  new StatusError(
    "RequestEntityTooLarge",
    `${qualified(resource)} ${quote(name)} is too large: the limit is ${limit} bytes`,
    { details: about(resource, name) },
  );

/** A refusal of work that took too long or too much. */
export const tooMuchWork = (why: string) =>
  new StatusError("RequestEntityTooLarge", `Request entity too large: ${why}`);

export const headersTooLarge = () =>
  new StatusError("RequestHeaderFieldsTooLarge", "Request headers and path are too large");

export const tooManyRequests = (
  message: string,
  retryAfterSeconds: number,
  causes?: readonly Cause[],
) =>
  new StatusError("TooManyRequests", message, {
    details: {
      ...defined({ causes }),
      ...(retryAfterSeconds === 0 ? {} : { retryAfterSeconds }),
    },
  });

export const timeout = (message: string) =>
  new StatusError("Timeout", `Timeout: ${message}`, { details: { retryAfterSeconds: 1 } });

export const unavailable = (message: string, cause?: unknown) =>
  new StatusError("ServiceUnavailable", message, { details: { retryAfterSeconds: 1 }, cause });

export const internal = (error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  return new StatusError("InternalError", `Internal error occurred: ${message}`, {
    details: { causes: [{ message }] },
    cause: error,
  });
};

/** The number of field errors in one answer; further ones are left out. */
const mostFieldErrors = 100;

export const invalid = (kind: GroupName, name: string, found: readonly FieldError[]) => {
  const errors = found.slice(0, mostFieldErrors);
  const unique = [...new Set(errors.map(fieldErrorText))];
  if (found.length > errors.length) unique.push(`and ${found.length - errors.length} more`);
  const text = unique.length === 1 ? unique[0] : `[${unique.join(", ")}]`;
  return new StatusError("Invalid", `${qualified(kind)} ${quote(name)} is invalid: ${text}`, {
    details: {
      ...about(kind, name),
      causes: errors.map((error) => ({
        reason: error.type,
        message: fieldErrorBody(error),
        field: error.field,
      })),
    },
  });
};

/** Turns anything thrown into a Status; unexpected errors become internal ones (500). */
export function toStatusError(error: unknown): StatusError {
  if (error instanceof StatusError) return error;
  if (isExpired(error)) return expired(error.message);
  if (isUnavailable(error) || isClosed(error)) return unavailable(error.message, error);
  if (isUnknownOutcome(error)) return timeout(error.message);
  return internal(error);
}

function about({ group, name: kind }: GroupName, name: string): Details {
  return {
    ...(name === "" || name.length > longestQuote ? {} : { name }),
    ...(group === "" ? {} : { group }),
    ...(kind === "" ? {} : { kind }),
  };
}

/** The longest name that errors quote in full. */
const longestQuote = 1024;

function quote(text: string): string {
  return JSON.stringify(text.length > longestQuote ? `${text.slice(0, longestQuote)}…` : text);
}
