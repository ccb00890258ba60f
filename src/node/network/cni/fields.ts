import { Fields as AnyFields } from "../../../base/json/fields.ts";
import { isObject } from "../../../base/json/value.ts";
import { CniError } from "./error.ts";
import { type Json } from "./json.ts";

/** A reader of the fields of one JSON object; errors name the field, its value and its source. */
export class Fields extends AnyFields {
  readonly #where: string;
  readonly #path: string;

  constructor(json: unknown, where: string, path = "") {
    if (!isObject(json)) throw refusal({ where, field: path, value: json }, "it must be an object");
    super(json);
    this.#where = where;
    this.#path = path;
  }

  /** Reads a flag; some configurations write flags as text. */
  override flag(key: string): boolean {
    const value = this.json[key] ?? false;
    if (value === true || value === "true") return true;
    if (value === false || value === "false" || value === "") return false;
    throw this.refused(key, "it must be true or false");
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

  refused(key: string, state: string, value: unknown = this.json[key]): CniError {
    return refusal({ where: this.#where, field: this.#at(key), value }, state);
  }

  protected inside(key: string, json: Json): this {
    return new Fields(json, this.#where, this.#at(key)) as this;
  }

  #at(key: string): string {
    return [this.#path, key].filter((part) => part !== "").join(".");
  }
}

interface Refused {
  readonly where: string;
  readonly field: string;
  readonly value: unknown;
}

function refusal({ where, field, value }: Refused, state: string): CniError {
  const shown = value === undefined ? "" : JSON.stringify(value).slice(0, 200);
  const subject = [field, shown].filter((part) => part !== "").join(" ");
  const whole = subject === "" ? where : `${subject} of ${where}`;
  return new CniError("invalid-configuration", `Cannot use ${whole}: ${state}`);
}
