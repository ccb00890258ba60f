export type PatchReason =
  /** The patch itself is malformed: 400. */
  | "BadRequest"
  /** The patch does not fit the object: a test failed, a path is missing: 422. */
  | "Invalid"
  /** The patch has too many operations or copies too much: 413. */
  | "RequestEntityTooLarge";

/** The error of a patch that was not applied; the object is unchanged. */
export class PatchError extends Error {
  override readonly name = "PatchError";
  readonly reason: PatchReason;

  constructor(reason: PatchReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The error of a patch whose test operation failed. */
export class PatchTestError extends PatchError {}

export function isPatchError(error: unknown): error is PatchError {
  return error instanceof PatchError;
}
