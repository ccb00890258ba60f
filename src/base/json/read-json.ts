import { exactInteger, hasLongDigits } from "./integer.ts";
import { endOfString, scanJson } from "./scan.ts";

/**
 * Parses JSON around a bug of V8's JSON.parse. Once an object has had a field with a backslash in its name,
 * V8 mistakes names that are written with an escape for it: after `{"\\":1}`, the text `{"\"":1}` has a field
 * `\`. (Node 24 to 26 do so, 20 does not.) From then on texts with escapes are read by the `Reader` below.
 */
export function readJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // A double would round integers that long, so the `Reader` parses their digits.
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

/** A reader of text that is known to be valid JSON. */
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
      // Defined instead of assigned: assigning `__proto__` would not create a field.
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

  /** The next character after white space. */
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
