// nginx's configuration as values: a directive is a list of words, a block has directives in it.

export type Statement = string | Block;

export interface Block {
  readonly head: string;
  readonly body: readonly Statement[];
}

export function block(head: string, body: readonly Statement[]): Block {
  return { head, body };
}

/** A word that may hold anything but line breaks: it is one word whatever is in it. */
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

/** The same as a regular expression. */
export function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|#]/g, "\\$&");
}
