// Reads JSON text without building values, for what JSON.parse does not tell: nesting, repeated
// fields, the digits of a number, and where things stand in the text.

/** The offset at which nesting exceeds `maxDepth`, or undefined. The text need not be valid. */
export function findTooDeep(text: string, maxDepth: number): number | undefined {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === quote) {
      index = endOfString(text, index);
    } else if (code === openBrace || code === openBracket) {
      depth += 1;
      if (depth > maxDepth) return index;
    } else if (code === closeBrace || code === closeBracket) {
      depth -= 1;
    }
  }
  return undefined;
}

export interface ScanVisitor {
  /** Visits a field of an object; `repeated` when the object had it already. */
  field?(name: string, where: Where & { repeated: boolean }): void;
  number?(source: string, where: Where): void;
  string?(value: string, where: Where): void;
}

export interface Where {
  readonly position: number;
  /** The path of the value: `spec.ports[0].port`; evaluated when asked for. */
  readonly path: () => string;
}

/** Visits every field and every string and number of a valid JSON text. */
export function scanJson(text: string, visitor: ScanVisitor): void {
  new Scanner(text, visitor).value();
}

class Scanner {
  readonly #text: string;
  readonly #visitor: ScanVisitor;
  readonly #path: (string | number)[] = [];
  #at = 0;

  constructor(text: string, visitor: ScanVisitor) {
    this.#text = text;
    this.#visitor = visitor;
  }

  value(): void {
    this.#skipSpace();
    const code = this.#text.charCodeAt(this.#at);
    if (code === openBrace) this.#object();
    else if (code === openBracket) this.#array();
    else if (code === quote) this.#string();
    else this.#literal();
    this.#skipSpace();
  }

  #object(): void {
    const seen = new Set<string>();
    this.#at += 1;
    for (this.#skipSpace(); this.#code() !== closeBrace; this.#skipSpace()) {
      const position = this.#at;
      const name = this.#takeString();
      this.#path.push(name);
      this.#visitor.field?.(name, { ...this.#where(position), repeated: seen.has(name) });
      seen.add(name);
      this.#skipSpace();
      this.#at += 1; // the colon
      this.value();
      this.#path.pop();
      if (this.#code() === comma) this.#at += 1;
    }
    this.#at += 1;
  }

  #array(): void {
    this.#at += 1;
    this.#skipSpace();
    for (let index = 0; this.#code() !== closeBracket; index++) {
      this.#path.push(index);
      this.value();
      this.#path.pop();
      if (this.#code() === comma) this.#at += 1;
    }
    this.#at += 1;
  }

  #string(): void {
    const position = this.#at;
    const value = this.#takeString();
    this.#visitor.string?.(value, this.#where(position));
  }

  #literal(): void {
    const position = this.#at;
    literal.lastIndex = position;
    const [source = ""] = literal.exec(this.#text) ?? [];
    this.#at += Math.max(source.length, 1);
    if (/^[-0-9]/.test(source)) this.#visitor.number?.(source, this.#where(position));
  }

  #takeString(): string {
    const start = this.#at;
    this.#at = endOfString(this.#text, start) + 1;
    const source = this.#text.slice(start, this.#at);
    return source.includes("\\") ? (JSON.parse(source) as string) : source.slice(1, -1);
  }

  #where(position: number): Where {
    return { position, path: () => formatPath(this.#path) };
  }

  #skipSpace(): void {
    while (this.#code() <= space) this.#at += 1;
  }

  #code(): number {
    return this.#text.charCodeAt(this.#at);
  }
}

/** Formats `["spec", "ports", 0]` as `spec.ports[0]`. */
export function formatPath(path: readonly (string | number)[]): string {
  return path.reduce<string>(
    (text, part) =>
      typeof part === "number" ? `${text}[${part}]` : text === "" ? part : `${text}.${part}`,
    "",
  );
}

/** The offset of the quote that ends the string which starts at `start`. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === backslash) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}

const literal = /[-+.\w]+/y;
const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const space = 0x20;
