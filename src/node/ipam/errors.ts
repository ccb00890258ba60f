/** The codes of CNI errors, by reason. Codes of 100 and above are the plugin's own. */
const codes = {
  incompatibleVersion: 1,
  unknownContainer: 3,
  invalidEnvironment: 4,
  inputOutput: 5,
  notPermitted: 5,
  decoding: 6,
  invalidConfiguration: 7,
  tryAgainLater: 11,
  notAvailable: 50,
  exhausted: 100,
  addressTaken: 101,
  mismatch: 102,
  internal: 999,
} as const;

export type Reason = keyof typeof codes;

/** The error that a verb fails with; printed as the error object of the CNI specification. */
export class IpamError extends Error {
  override readonly name = "IpamError";
  readonly reason: Reason;

  constructor(reason: Reason, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.reason = reason;
  }

  get code(): number {
    return codes[this.reason];
  }
}

export interface CniError {
  readonly cniVersion: string;
  readonly code: number;
  readonly msg: string;
  readonly details?: string;
}

/** Turns any failure into the error object that a CNI runtime reads. */
export function toCniError(error: unknown, cniVersion: string): CniError {
  const failure =
    error instanceof IpamError ? error : new IpamError("internal", messageOf(error), error);
  const details = causesOf(failure);
  return {
    cniVersion,
    code: failure.code,
    msg: failure.message,
    ...(details === "" ? {} : { details }),
  };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function causesOf(error: Error): string {
  const messages: string[] = [];
  for (let cause = error.cause; cause !== undefined; ) {
    const message = messageOf(cause);
    if (message !== error.message) messages.push(message);
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return messages.join(": ");
}
