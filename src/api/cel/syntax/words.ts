// The words of the language that mean something by themselves.

/** The operators that compare. */
export const relations = new Set(["<", "<=", ">=", ">", "==", "!=", "in"]);
/** The words that cannot be the names of variables. */
export const reserved = new Set([
  "as",
  "break",
  "const",
  "continue",
  "else",
  "false",
  "for",
  "function",
  "if",
  "import",
  "in",
  "let",
  "loop",
  "namespace",
  "null",
  "package",
  "return",
  "true",
  "var",
  "void",
  "while",
]);
/** The words that are tokens of their own and therefore no field names either. */
export const words = new Set(["in", "true", "false", "null"]);
