export type PatchReason =
  /** The patch itself is malformed: 400. */
  | "BadRequest"
  /** It does not fit the object: a test failed, a path is missing: 422. */
  | "Invalid"
  /** Too many operations or too much copying: 413. */
  | "RequestEntityTooLarge";

/** A patch that was not applied; the object is as it was. */
export class PatchError extends Error {
  override readonly name = "PatchError";
  readonly reason: PatchReason;

  constructor(reason: PatchReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

export function isPatchError(error: unknown): error is PatchError {
  return error instanceof PatchError;
}
