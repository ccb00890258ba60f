import { isObject } from "../../../base/json/value.ts";
import { IpamError } from "../errors.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

/** Reads the fields of one object of a configuration; errors name the field by its path. */
export class Fields {
  readonly path: string;
  readonly #source: JsonObject;

  constructor(source: JsonObject, path: string) {
    this.#source = source;
    this.path = path;
  }

  /** Reads a text. An empty one counts as absent: templates leave such fields behind. */
  text(key: string): string | undefined {
    const value = this.#source[key] ?? "";
    if (typeof value !== "string") throw this.refused(key, "it must be a string");
    return value === "" ? undefined : value;
  }

  flag(key: string): boolean | undefined {
    const value = this.#source[key] ?? undefined;
    if (value !== undefined && typeof value !== "boolean") {
      throw this.refused(key, "it must be true or false");
    }
    return value;
  }

  wholeNumber(key: string): number | undefined {
    const value = this.#source[key] ?? undefined;
    if (value === undefined) return undefined;
    if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) {
      throw this.refused(key, "it must be a whole number, 0 or above");
    }
    return value;
  }

  texts(key: string): string[] {
    return this.#list(key).map((value, index) => {
      if (typeof value !== "string") throw this.refused(`${key}[${index}]`, "it must be a string");
      return value;
    });
  }

  object(key: string): Fields | undefined {
    const value = this.#source[key] ?? undefined;
    if (value === undefined) return undefined;
    if (!isObject(value)) throw this.refused(key, "it must be an object");
    return new Fields(value, `${this.path}.${key}`);
  }

  objects(key: string): Fields[] {
    return this.#list(key).map((value, index) => {
      if (!isObject(value)) throw this.refused(`${key}[${index}]`, "it must be an object");
      return new Fields(value, `${this.path}.${key}[${index}]`);
    });
  }

  has(key: string): boolean {
    return (this.#source[key] ?? undefined) !== undefined;
  }

  get raw(): JsonObject {
    return this.#source;
  }

  refused(key: string, state: string): IpamError {
    const value = this.#source[key];
    const shown =
      value === undefined || typeof value === "object" ? "" : ` ${JSON.stringify(value)}`;
    return invalidField(`${this.path}.${key}${shown}`, state);
  }

  #list(key: string): unknown[] {
    const value = this.#source[key] ?? [];
    if (!Array.isArray(value)) throw this.refused(key, "it must be a list");
    return value;
  }
}

export function invalidField(field: string, state: string, cause?: unknown): IpamError {
  return new IpamError("invalidConfiguration", `Cannot use ${field}: ${state}`, cause);
}

/** Returns an object with one property, or without any when the value is undefined. */
export function named<Key extends string>(
  key: Key,
  value: string | undefined,
): Partial<Record<Key, string>> {
  return value === undefined ? {} : ({ [key]: value } as Record<Key, string>);
}
