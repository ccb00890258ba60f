// What the API server, and whoever asked it, is told when a node cannot do what it was asked.

export class ServeError extends Error {
  override readonly name = "ServeError";
  readonly status: RefusalStatus;

  constructor(status: RefusalStatus, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

const reasons = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  500: "InternalError",
} as const;

export type RefusalStatus = keyof typeof reasons;

export interface Refusal {
  readonly status: RefusalStatus;
  readonly message: string;
}

/** A Status object, which is what clients print the message of. */
export function refusalBody({ status, message }: Refusal): string {
  const reason = reasons[status];
  const body = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure" };
  return JSON.stringify({ ...body, message, reason, code: status });
}
