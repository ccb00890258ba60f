import { isObject } from "../../../base/json/value.ts";
import { CniError } from "./error.ts";
import { type Json } from "./json.ts";

/** A reader of the fields of one JSON object; errors name the field, its value and its source. */
export class Fields {
  readonly json: Json;
  readonly #where: string;
  readonly #path: string;

  constructor(json: unknown, where: string, path = "") {
    this.#where = where;
    this.#path = path;
    if (!isObject(json)) throw this.refused("", "it must be an object", json);
    this.json = json;
  }

  text(key: string): string | undefined {
    const value = this.json[key] ?? "";
    if (typeof value !== "string") throw this.refused(key, "it must be a string");
    return value === "" ? undefined : value;
  }

  requiredText(key: string): string {
    const value = this.text(key);
    if (value === undefined) throw this.refused(key, "it is missing");
    return value;
  }

  /** Reads a flag; some configurations write flags as text. */
  flag(key: string): boolean {
    const value = this.json[key] ?? false;
    if (value === true || value === "true") return true;
    if (value === false || value === "false" || value === "") return false;
    throw this.refused(key, "it must be true or false");
  }

  wholeNumber(key: string): number | undefined {
    const value = this.json[key] ?? undefined;
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

  object(key: string): Fields | undefined {
    const value = this.json[key] ?? undefined;
    return value === undefined ? undefined : this.#inner(value, key);
  }

  requiredObject(key: string): Fields {
    const value = this.object(key);
    if (value === undefined) throw this.refused(key, "it is missing");
    return value;
  }

  objects(key: string): readonly Fields[] {
    return (this.#list(key) ?? []).map((value, index) => this.#inner(value, `${key}[${index}]`));
  }

  /** Reads a text and parses it, such as an address. */
  read<T>(key: string, parse: (text: string) => T): T | undefined {
    const text = this.text(key);
    if (text === undefined) return undefined;
    try {
      return parse(text);
    } catch (cause) {
      const state = cause instanceof Error ? cause.message : String(cause);
      throw this.refused(key, state);
    }
  }

  refused(key: string, state: string, value: unknown = this.json?.[key]): CniError {
    const field = [this.#path, key].filter((part) => part !== "").join(".");
    const shown = value === undefined ? "" : JSON.stringify(value).slice(0, 200);
    const subject = [field, shown].filter((part) => part !== "").join(" ");
    const whole = subject === "" ? this.#where : `${subject} of ${this.#where}`;
    return new CniError("invalid-configuration", `Cannot use ${whole}: ${state}`);
  }

  #inner(value: unknown, key: string): Fields {
    return new Fields(value, this.#where, this.#path === "" ? key : `${this.#path}.${key}`);
  }

  #list(key: string): readonly unknown[] | undefined {
    const value = this.json[key] ?? undefined;
    if (value === undefined) return undefined;
    if (!Array.isArray(value)) throw this.refused(key, "it must be a list");
    return value as unknown[];
  }
}
