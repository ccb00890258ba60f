import { isSeparator, refused, type Token } from "./tokens.ts";

/** A cursor over the words of one statement. */
export class Cursor {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get line(): number {
    return (this.#tokens[this.#at] ?? this.#tokens.at(-1))?.line ?? 1;
  }

  get done(): boolean {
    return this.#at >= this.#tokens.length;
  }

  get peek(): string | undefined {
    return this.#tokens[this.#at]?.text;
  }

  /** The next word, whatever it is. */
  word(what: string): string {
    const token = this.#tokens[this.#at++];
    if (token === undefined || /^[{};,\n]$/.test(token.text)) {
      throw refused(token ?? this.#tokens.at(-1), `expecting ${what}`);
    }
    return token.text;
  }

  /** Skips the next word if it is this one, and returns whether it was. */
  takes(text: string): boolean {
    if (this.peek !== text) return false;
    this.#at++;
    return true;
  }

  rest(): readonly Token[] {
    const rest = this.#tokens.slice(this.#at);
    this.#at = this.#tokens.length;
    return rest;
  }

  /** The tokens between the braces that end the statement. */
  block(): readonly Token[] {
    const [open, ...inner] = this.rest();
    const close = inner.pop();
    if (open?.text !== "{" || close?.text !== "}") throw refused(open ?? close, "expecting { … }");
    return inner;
  }

  expect(text: string): void {
    if (!this.takes(text)) throw this.unexpected(this.peek ?? "end");
  }

  end(): void {
    if (!this.done) throw this.unexpected(this.peek ?? "");
  }

  unexpected(text: string): Error {
    return refused(this.#tokens[this.#at] ?? this.#tokens.at(-1), `unexpected ${text}`);
  }
}

/** Splits tokens into statements, at line ends and semicolons outside of braces. */
export function statementsOf(tokens: readonly Token[]): readonly Cursor[] {
  return cut(tokens, isSeparator).map((statement) => new Cursor(statement));
}

/** The statements of a block, the last of which must be ended as well, as nft insists. */
export function blockStatements(tokens: readonly Token[]): readonly Cursor[] {
  const statements = statementsOf(tokens);
  const last = tokens.at(-1);
  if (last === undefined || isSeparator(last) || statements.at(-1)?.peek === "elements") {
    return statements;
  }
  throw refused(last, "unexpected }, expecting newline or semicolon");
}

/** Splits tokens at cuts that stand outside of braces; empty pieces are dropped. */
export function cut(
  tokens: readonly Token[],
  isCut: (token: Token) => boolean,
): readonly (readonly Token[])[] {
  const pieces: Token[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    if (token.text === "{") depth++;
    if (token.text === "}" && --depth < 0) throw refused(token, "unexpected }");
    if (depth === 0 && isCut(token)) pieces.push([]);
    else pieces.at(-1)?.push(token);
  }
  if (depth > 0) throw refused(tokens.at(-1), "unexpected end of file");
  return pieces.filter((piece) => piece.length > 0);
}
