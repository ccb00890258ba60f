/** A selector that cannot be understood: 400. */
export class SelectorError extends Error {
  override readonly name = "SelectorError";
  readonly reason = "BadRequest";
}

export function isSelectorError(error: unknown): error is SelectorError {
  return error instanceof SelectorError;
}
