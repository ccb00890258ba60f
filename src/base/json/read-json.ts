import { exactInteger, hasLongDigits } from "./integer.ts";
import { endOfString, scanJson } from "./scan.ts";

/**
 * What JSON.parse should return. Once an object has had a field with a backslash in its name, V8 mistakes
 * names that are written with an escape for it: after `{"\\":1}`, the text `{"\"":1}` has a field `\`.
 * (Node 24 to 26 do so, 20 does not.) From then on texts with escapes are read without its help.
 */
export function readJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // A double rounds integers that long; they are read from their digits.
  if (hasLongDigits(text)) return new Reader(text).value();
  if (!text.includes("\\")) return value;
  hasMetBackslash ||= escapedBackslash.test(text) && hasNameWithBackslash(text);
  return hasMetBackslash ? new Reader(text).value() : value;
}

let hasMetBackslash = false;
const integer = /^-?\d{16,}$/;
const escapedBackslash = /\\\\|\\u005[cC]/;

function hasNameWithBackslash(text: string): boolean {
  let isFound = false;
  scanJson(text, {
    field(name) {
      isFound ||= name.includes("\\");
    },
  });
  return isFound;
}

/** Of text that is known to be JSON. */
class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): unknown {
    switch (this.#next()) {
      case "{":
        return this.#object();
      case "[":
        return this.#array();
      case '"':
        return this.#string();
      default:
        return this.#literal();
    }
  }

  #object(): Record<string, unknown> {
    const object: Record<string, unknown> = {};
    this.#each("}", () => {
      const name = this.#string();
      this.#next();
      this.#at++;
      const value = this.value();
      // Assigned, `__proto__` would not become a field.
      if (name in object) Object.defineProperty(object, name, { value, ...ordinary });
      else object[name] = value;
    });
    return object;
  }

  #array(): unknown[] {
    const items: unknown[] = [];
    this.#each("]", () => items.push(this.value()));
    return items;
  }

  #string(): string {
    const start = this.#at;
    this.#at = endOfString(this.#text, start) + 1;
    const source = this.#text.slice(start, this.#at);
    return source.includes("\\") ? (JSON.parse(source) as string) : source.slice(1, -1);
  }

  #literal(): unknown {
    literal.lastIndex = this.#at;
    const source = literal.exec(this.#text)?.[0] ?? "";
    this.#at += source.length;
    return (integer.test(source) ? exactInteger(source) : undefined) ?? JSON.parse(source);
  }

  #each(end: "}" | "]", read: () => void): void {
    this.#at++;
    while (this.#next() !== end) {
      read();
      if (this.#next() === ",") this.#at++;
    }
    this.#at++;
  }

  /** What comes after space. */
  #next(): string {
    space.lastIndex = this.#at;
    space.test(this.#text);
    this.#at = space.lastIndex;
    return this.#text.charAt(this.#at);
  }
}

const space = /[ \t\n\r]*/y;
const literal = /[-+.\w]+/y;
const ordinary = { writable: true, enumerable: true, configurable: true };
