// Splits an expression into tokens.
import type { Issue } from "./source.ts";

export type TokenKind =
  | "identifier"
  | "int"
  | "uint"
  | "double"
  | "string"
  | "bytes"
  | "operator"
  | "end";

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  /** The offset in the source, in code points. */
  readonly at: number;
}

const patterns: readonly (readonly [TokenKind | "space", RegExp])[] = [
  ["space", /(?:[\t \r\n\f]+|\/\/[^\n]*)/y],
  [
    "bytes",
    /[bB](?:[rR](?:"""[^]*?"""|'''[^]*?'''|"[^"\n\r]*"|'[^'\n\r]*')|"""(?:\\[^]|[^\\])*?"""|'''(?:\\[^]|[^\\])*?'''|"(?:\\[^\n\r]|[^\\"\n\r])*"|'(?:\\[^\n\r]|[^\\'\n\r])*')/y,
  ],
  [
    "string",
    /(?:[rR](?:"""[^]*?"""|'''[^]*?'''|"[^"\n\r]*"|'[^'\n\r]*')|"""(?:\\[^]|[^\\])*?"""|'''(?:\\[^]|[^\\])*?'''|"(?:\\[^\n\r]|[^\\"\n\r])*"|'(?:\\[^\n\r]|[^\\'\n\r])*')/y,
  ],
  ["double", /(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)/y],
  ["uint", /(?:0x[\da-fA-F]+|\d+)[uU]/y],
  ["int", /(?:0x[\da-fA-F]+|\d+)/y],
  ["identifier", /[A-Za-z_][A-Za-z0-9_]*/y],
  ["operator", /(?:==|!=|<=|>=|&&|\|\||[<>[\]{}().,\-!?:+*/%])/y],
];

/** Returns the tokens; an unknown character is an issue and ends them. */
export function tokenize(source: string): { tokens: Token[]; issues: Issue[] } {
  const tokens: Token[] = [];
  let offset = 0;
  let at = 0;
  while (offset < source.length) {
    const found = nextToken(source, offset);
    if (found === undefined) {
      const character = String.fromCodePoint(source.codePointAt(offset) ?? 0);
      const message = `Syntax error: token recognition error at: '${character}'`;
      return { tokens: [...tokens, { kind: "end", text: "<EOF>", at }], issues: [{ at, message }] };
    }
    const { kind, text } = found;
    if (kind !== "space") tokens.push({ kind, text, at });
    offset += text.length;
    at += lengthOf(text);
  }
  tokens.push({ kind: "end", text: "<EOF>", at });
  return { tokens, issues: [] };
}

function nextToken(source: string, offset: number) {
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = offset;
    const text = pattern.exec(source)?.[0];
    if (text !== undefined && text !== "") return { kind, text };
  }
  return undefined;
}

/** Returns the length in code points. */
function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}
