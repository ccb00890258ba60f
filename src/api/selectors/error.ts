/** The error of a selector that cannot be parsed: 400. */
export class SelectorError extends Error {
  override readonly name = "SelectorError";
  readonly reason = "BadRequest";
}

export function isSelectorError(error: unknown): error is SelectorError {
  return error instanceof SelectorError;
}
