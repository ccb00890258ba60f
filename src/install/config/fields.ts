// Reads documents that people write: wrong types become errors with a field path, and reading goes on, so
// that everything that is wrong is reported at once.

import type { FieldError } from "../../api/fields/field-error.ts";
import { invalid } from "../../api/fields/field-errors.ts";
import { isObject } from "../../base/json/value.ts";

/** The errors and warnings about a document. */
export class Findings {
  readonly errors: FieldError[] = [];
  readonly #warnings = new Set<string>();

  get warnings(): string[] {
    return [...this.#warnings];
  }

  /** Adds a warning, unless it was added before. */
  warn(text: string): void {
    this.#warnings.add(text);
  }
}

type Values = Readonly<Record<string, unknown>>;

interface Reading {
  readonly findings: Findings;
  /** Whether names that differ in case only are accepted, with a warning, as programs in Go do. */
  readonly ignoreCase?: boolean;
}

/** One object of a document. A field that is absent, null, or of a wrong type is undefined. */
export class Fields {
  readonly path: string;
  readonly #values: Values;
  readonly #reading: Reading;

  private constructor(values: Values, path: string, reading: Reading) {
    this.#values = values;
    this.path = path;
    this.#reading = reading;
  }

  /** The fields of a whole document; one that is no object has none, and an error. */
  static ofDocument(document: unknown, reading: Reading): Fields {
    if (isObject(document)) return new Fields(document, "", reading);
    reading.findings.errors.push(invalid("(document)", document ?? null, "must be an object"));
    return new Fields({}, "", reading);
  }

  /** The path of a field of this object. */
  at(name: string): string {
    return this.path === "" ? name : `${this.path}.${name}`;
  }

  names(): string[] {
    return Object.keys(this.#values);
  }

  has(name: string): boolean {
    return this.#value(name) !== undefined;
  }

  /** Whether the field is present at all, be it as null. */
  isGiven(name: string): boolean {
    return name in this.#values;
  }

  text(name: string): string | undefined {
    return this.#typed(name, "a text", isText);
  }

  integer(name: string): number | undefined {
    return this.#typed(name, "a whole number", isInteger);
  }

  boolean(name: string): boolean | undefined {
    return this.#typed(name, "true or false", isBoolean);
  }

  object(name: string): Fields | undefined {
    const values = this.#typed(name, "an object", isObject);
    return values && new Fields(values, this.at(name), this.#reading);
  }

  texts(name: string): string[] | undefined {
    return this.#elements(name)?.flatMap(({ value, path }) => {
      if (isText(value)) return [value];
      this.#refuse(path, value, "a text");
      return [];
    });
  }

  objects(name: string): Fields[] | undefined {
    return this.#elements(name)?.flatMap(({ value, path }) => {
      if (isObject(value)) return [new Fields(value, path, this.#reading)];
      this.#refuse(path, value, "an object");
      return [];
    });
  }

  #elements(name: string): { value: unknown; path: string }[] | undefined {
    const list = this.#typed(name, "a list", Array.isArray) as unknown[] | undefined;
    return list?.map((value, index) => ({ value, path: `${this.at(name)}[${index}]` }));
  }

  #typed<T>(name: string, expected: string, is: (value: unknown) => value is T): T | undefined {
    const value = this.#value(name);
    if (value === undefined || is(value)) return value;
    this.#refuse(this.at(name), value, expected);
    return undefined;
  }

  #value(name: string): unknown {
    const exact = this.#values[name];
    if (exact !== undefined || this.#reading.ignoreCase !== true) return exact ?? undefined;
    const written = this.names().find((key) => key.toLowerCase() === name.toLowerCase());
    if (written === undefined) return undefined;
    this.#reading.findings.warn(
      `${this.at(written)} is read as ${name}, which is how it is spelled`,
    );
    return this.#values[written] ?? undefined;
  }

  #refuse(path: string, value: unknown, expected: string): void {
    this.#reading.findings.errors.push(invalid(path, value, `must be ${expected}`));
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === "boolean";
}
