// Errors of the kubelet API, as the API server and its client see them.

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
  503: "ServiceUnavailable",
} as const;

export type RefusalStatus = keyof typeof reasons;

export interface Refusal {
  readonly status: RefusalStatus;
  readonly message: string;
}

/** Returns a Status object, whose message clients print. */
export function refusalBody({ status, message }: Refusal): string {
  const reason = reasons[status];
  const body = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure" };
  return JSON.stringify({ ...body, message, reason, code: status });
}
