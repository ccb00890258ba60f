// nginx's configuration syntax as values: a directive is a list of words, a block contains directives.

export type Statement = string | Block;

export interface Block {
  readonly head: string;
  readonly body: readonly Statement[];
}

export function block(head: string, body: readonly Statement[]): Block {
  return { head, body };
}

/** Quotes a text, which may contain anything but line breaks, as one word. */
export function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
}

export function printed(statements: readonly Statement[], indent = ""): string {
  return statements
    .map((statement) =>
      typeof statement === "string"
        ? `${indent}${statement};\n`
        : `${indent}${statement.head} {\n${printed(statement.body, `${indent}    `)}${indent}}\n`,
    )
    .join("");
}

/** Escapes a text for use in a regular expression. */
export function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|#]/g, "\\$&");
}
