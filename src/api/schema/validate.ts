// Validates the shape of a value against its schema: unknown fields, wrong types, missing fields. The meaning
// of values (ranges of ports, names that must exist) is validated by the kinds.

import { formatPath } from "../../base/json/scan.ts";
import { getOwn, isObject, type JsonObject } from "../../base/json/value.ts";
import type { Field, Schema } from "./model.ts";
import { scalarProblem } from "./scalars.ts";
import { memberFor } from "./union.ts";

export interface Finding {
  readonly problem: "unknown" | "type" | "required";
  /** The path of the field: `spec.containers[0].name`. */
  readonly path: string;
  /** The message, a whole sentence with the path. */
  readonly message: string;
}

export interface ValidateOptions {
  /** Whether to report required fields that are missing. Kinds with checks of their own do it themselves. */
  readonly required?: boolean;
}

/** The number of findings after which validation stops. */
const maxFindings = 100;

const none: ReadonlyMap<string, Field> = new Map();

/** The findings about a value; none if it is valid. `null` counts as an absent field. */
export function validate(
  schema: Schema,
  value: unknown,
  options: ValidateOptions = {},
): readonly Finding[] {
  const inspector = new Inspector(options.required === true);
  inspector.value(schema, value);
  return inspector.findings;
}

class Inspector {
  readonly findings: Finding[] = [];
  readonly #required: boolean;
  readonly #path: (string | number)[] = [];

  constructor(required: boolean) {
    this.#required = required;
  }

  value(schema: Schema, value: unknown): void {
    const { type } = schema;
    if (schema.wire === "union") {
      const member = memberFor(schema, value);
      if (member === undefined) this.#wrong("one of its forms", value);
      else this.value(member, value);
    } else if (type === "array") {
      if (Array.isArray(value)) this.#entries(schema, value.entries());
      else this.#wrong("an array", value);
    } else if (type === "object" || type === "map") {
      if (!isObject(value)) this.#wrong("an object", value);
      else if (type === "map") this.#entries(schema, Object.entries(value));
      else this.#object(schema, value);
    } else {
      const expected = scalarProblem(type, value);
      if (expected !== undefined) this.#wrong(expected, value);
    }
  }

  #object(schema: Schema, object: JsonObject): void {
    const fields = schema.fields ?? none;
    for (const [name, value] of Object.entries(object)) {
      const field = fields.get(name);
      this.#path.push(name);
      if (field === undefined) {
        if (schema.preserveUnknown !== true) this.#report("unknown", `unknown field "${this.#at}"`);
      } else if (value !== null) {
        this.value(field.schema, value);
      }
      this.#path.pop();
    }
    if (!this.#required) return;
    for (const [name, field] of fields) {
      if (field.required !== true || (getOwn(object, name) ?? null) !== null) continue;
      this.#path.push(name);
      this.#report("required", `${this.#at} is required`);
      this.#path.pop();
    }
  }

  #entries(schema: Schema, entries: Iterable<[string | number, unknown]>): void {
    if (schema.items === undefined) return;
    for (const [key, value] of entries) {
      this.#path.push(key);
      this.value(schema.items, value);
      this.#path.pop();
    }
  }

  #wrong(expected: string, value: unknown): void {
    this.#report("type", `${this.#at || "the object"} must be ${expected}, not ${describe(value)}`);
  }

  #report(problem: Finding["problem"], message: string): void {
    if (this.findings.length < maxFindings)
      this.findings.push({ problem, path: this.#at, message });
  }

  get #at(): string {
    return formatPath(this.#path);
  }
}

function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
