import { isParseError, ParseError } from "../../base/json/error.ts";
import { defaultMaxDepth } from "../../base/json/options.ts";
import { formatPath } from "../../base/json/scan.ts";
import { isObject, type JsonObject } from "../../base/json/value.ts";
import type { Field, Schema } from "../schema/model.ts";
import { compoundOf } from "./compound.ts";
import { type PlainSlot, type Plan, planOf } from "./plan.ts";
import { Reader, wireTypes } from "./reader.ts";
import { scalarForms } from "./scalar.ts";

/**
 * Decodes a message to its JSON form. Go writes every field that is no pointer, set or not; zero values that
 * it could not tell from absent ones are left out again, unless the field is required.
 */
export function decodeMessage(schema: Schema, bytes: Uint8Array): JsonObject {
  const decoder = new Decoder();
  try {
    return decoder.message(schema, new Reader(bytes));
  } catch (error) {
    if (!isParseError(error)) throw error;
    const field = formatPath(decoder.path);
    const message = `Cannot decode ${field || "the body"}: ${error.message}`;
    throw new ParseError(error.reason, message, { position: error.position, field, cause: error });
  }
}

class Decoder {
  /** The path of the field being decoded, which tells where an error occurred. */
  readonly path: (string | number)[] = [];
  #depth = 0;

  message(schema: Schema, reader: Reader, into: JsonObject = {}): JsonObject {
    this.#depth += 1;
    if (this.#depth > defaultMaxDepth) {
      throw new ParseError("TooDeep", `more than ${defaultMaxDepth} levels`);
    }
    this.#slots(planOf(schema), reader, into);
    this.#depth -= 1;
    return into;
  }

  #slots(plan: Plan, reader: Reader, into: JsonObject): void {
    while (!reader.done) {
      const number = reader.field();
      const slot = plan.slots.get(number);
      if (slot === undefined) {
        reader.skip();
      } else if (slot.inlined !== undefined) {
        reader.expect(wireTypes.bytes);
        this.#slots(slot.inlined, reader.message(), into);
      } else {
        this.path.push(slot.name);
        this.#field(slot, reader, into);
        this.path.pop();
      }
    }
  }

  #field({ name, field }: PlainSlot, reader: Reader, into: JsonObject): void {
    const { schema } = field;
    if (schema.type === "array" && schema.wire === undefined) {
      const list = into[name];
      const elements: unknown[] = Array.isArray(list) ? list : [];
      into[name] = elements;
      this.#elements(schema.items ?? anything, reader, elements);
      return;
    }
    if (schema.type === "map") {
      const entries = (into[name] ?? {}) as JsonObject;
      into[name] = entries;
      reader.expect(wireTypes.bytes);
      this.#entry(schema.items ?? anything, reader.message(), entries);
      return;
    }
    const before = into[name];
    const value = this.#value(schema, reader, before);
    if (value !== undefined && keeps(field, value)) into[name] = value;
    else if (before !== undefined) delete into[name];
  }

  #elements(items: Schema, reader: Reader, elements: unknown[]): void {
    this.path.push(elements.length);
    const own = wireTypeOf(items);
    if (reader.wire === wireTypes.bytes && own !== wireTypes.bytes) {
      const packed = reader.message();
      packed.wire = own;
      while (!packed.done) elements.push(this.#value(items, packed));
    } else {
      elements.push(this.#value(items, reader) ?? null);
    }
    this.path.pop();
  }

  #entry(items: Schema, reader: Reader, entries: JsonObject): void {
    let key = "";
    let value: unknown;
    while (!reader.done) {
      const number = reader.field();
      if (number === 1) {
        reader.expect(wireTypes.bytes);
        key = reader.string();
      } else if (number === 2) {
        this.path.push(key);
        value = this.#value(items, reader, value);
        this.path.pop();
      } else {
        reader.skip();
      }
    }
    if (key === "__proto__") throw new ParseError("ForbiddenKey", `the name ${key} is reserved`);
    entries[key] = value ?? zeroOf(items);
  }

  /** Decodes one value; a message in several parts is merged into the value before. */
  #value(schema: Schema, reader: Reader, before?: unknown): unknown {
    reader.expect(wireTypeOf(schema));
    if (schema.wire === "union") return chosen(this.message(schema, reader.message()));
    if (schema.wire === "wrapped") return this.#wrapped(schema, reader.message());
    const scalar = scalarForms.get(schema.type);
    if (scalar !== undefined) return scalar.read(reader);
    const compound = compoundOf(schema.type);
    if (compound !== undefined) {
      return compound.toJson(this.message(compound.message, reader.message()));
    }
    return this.message(schema, reader.message(), (before ?? {}) as JsonObject);
  }

  #wrapped(schema: Schema, reader: Reader): unknown[] {
    const elements: unknown[] = [];
    while (!reader.done) {
      const number = reader.field();
      if (number === 1) this.#elements(schema.items ?? anything, reader, elements);
      else reader.skip();
    }
    return elements;
  }
}

const anything: Schema = { type: "any" };

function wireTypeOf(schema: Schema): number {
  return scalarForms.get(schema.type)?.wire ?? wireTypes.bytes;
}

function keeps({ pointer, required, schema }: Field, value: unknown): boolean {
  return pointer === true || required === true || !isZero(schema, value);
}

/** The value of a map entry without one. */
function zeroOf(schema: Schema): unknown {
  const scalar = scalarForms.get(schema.type);
  if (scalar !== undefined) return scalar.zero;
  if (schema.type === "array") return [];
  return schema.type === "object" ? {} : (compoundOf(schema.type)?.toJson({}) ?? null);
}

/** The chosen alternative of a union; a boolean beside a schema only tells that there is one. */
function chosen(union: JsonObject): unknown {
  const alternatives = Object.values(union);
  return alternatives.find((value) => typeof value === "object") ?? alternatives[0];
}

/** Whether a value is a zero value, which Go cannot tell from an absent one. */
function isZero(schema: Schema, value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (schema.type === "any") return false;
  switch (value) {
    case "":
    case 0:
    case false:
      return true;
    case "0":
      return schema.type === "quantity";
    default:
      return schema.type === "object" && isObject(value) && isBlank(schema, value);
  }
}

function isBlank(schema: Schema, object: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(object).every(([name, value]) => {
    const field = schema.fields?.get(name);
    return field !== undefined && field.pointer !== true && isZero(field.schema, value);
  });
}
