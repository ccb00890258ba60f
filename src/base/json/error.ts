export type ParseReason =
  | "InvalidEncoding"
  | "InvalidNumber"
  | "InvalidSyntax"
  | "InvalidText"
  | "ForbiddenKey"
  | "TooDeep"
  | "TooLarge"
  | "InvalidAlias"
  | "SeveralDocuments";

/** The error of text that is not acceptable JSON or YAML, with its position. */
export class ParseError extends Error {
  override readonly name = "ParseError";
  readonly reason: ParseReason;
  /** The offset of the first offending character (byte, when the encoding is wrong). */
  readonly position: number | undefined;
  /** The field concerned, where one is known: `spec.replicas`. */
  readonly field: string | undefined;

  constructor(
    reason: ParseReason,
    message: string,
    where: { position?: number | undefined; field?: string | undefined; cause?: unknown } = {},
  ) {
    super(message, where.cause === undefined ? undefined : { cause: where.cause });
    this.reason = reason;
    this.position = where.position;
    this.field = where.field;
  }
}

export function isParseError(error: unknown): error is ParseError {
  return error instanceof ParseError;
}
