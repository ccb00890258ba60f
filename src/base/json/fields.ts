import { isObject } from "./value.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * A reader of the fields of one object that others wrote. Null counts as absent, and so does an empty text:
 * templates leave such fields behind. A component derives its own reader, which says what its errors are.
 */
export abstract class Fields {
  readonly json: JsonObject;

  protected constructor(json: JsonObject) {
    this.json = json;
  }

  /** Returns the error of a field; `value` is that of the field when not given. */
  abstract refused(key: string, state: string, value?: unknown): Error;

  /** Returns the reader of an object that is the value of a field, or an element of it (`key[0]`). */
  protected abstract inside(key: string, json: JsonObject): this;

  has(key: string): boolean {
    return this.#value(key) !== undefined;
  }

  text(key: string): string | undefined {
    const value = this.#value(key) ?? "";
    if (typeof value !== "string") throw this.refused(key, "it must be a string");
    return value === "" ? undefined : value;
  }

  requiredText(key: string): string {
    const value = this.text(key);
    if (value === undefined) throw this.refused(key, "it is missing");
    return value;
  }

  flag(key: string): boolean | undefined {
    const value = this.#value(key);
    if (value === undefined || typeof value === "boolean") return value;
    throw this.refused(key, "it must be true or false");
  }

  wholeNumber(key: string): number | undefined {
    const value = this.#value(key);
    if (value === undefined) return undefined;
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
    throw this.refused(key, "it must be a whole number, 0 or above");
  }

  texts(key: string): readonly string[] | undefined {
    return this.#list(key)?.map((value, index) => {
      if (typeof value === "string") return value;
      throw this.refused(`${key}[${index}]`, "it must be a string", value);
    });
  }

  object(key: string): this | undefined {
    const value = this.#value(key);
    return value === undefined ? undefined : this.#objectAt(key, value);
  }

  requiredObject(key: string): this {
    const value = this.object(key);
    if (value === undefined) throw this.refused(key, "it is missing");
    return value;
  }

  objects(key: string): this[] {
    return (this.#list(key) ?? []).map((value, index) => this.#objectAt(`${key}[${index}]`, value));
  }

  #value(key: string): unknown {
    return this.json[key] ?? undefined;
  }

  #list(key: string): readonly unknown[] | undefined {
    const value = this.#value(key);
    if (value === undefined) return undefined;
    if (!Array.isArray(value)) throw this.refused(key, "it must be a list");
    return value as unknown[];
  }

  #objectAt(key: string, value: unknown): this {
    if (!isObject(value)) throw this.refused(key, "it must be an object", value);
    return this.inside(key, value);
  }
}
