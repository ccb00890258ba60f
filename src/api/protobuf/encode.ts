import { formatPath } from "../../base/json/scan.ts";
import { compareText, getOwn, isObject, type JsonObject } from "../../base/json/value.ts";
import type { Field, Schema } from "../schema/model.ts";
import { compoundOf } from "./compound.ts";
import { type Plan, planOf } from "./plan.ts";
import { scalarForms } from "./scalar.ts";
import { Writer } from "./writer.ts";

/** Encodes an object to the bytes that Go writes: fields by number, non-pointer fields always. */
export function encodeMessage(
  schema: Schema,
  object: JsonObject,
  options: EncodeOptions = {},
): Uint8Array {
  const encoder = new Encoder(options);
  encoder.message(schema, object);
  return encoder.finish();
}

export interface EncodeOptions {
  /** Whether fields without a number are left out, as in responses, rather than refused. */
  readonly drop?: boolean;
}

class Encoder {
  readonly #writer = new Writer();
  readonly #drops: boolean;
  readonly #path: (string | number)[] = [];

  constructor({ drop = false }: EncodeOptions) {
    this.#drops = drop;
  }

  finish(): Uint8Array {
    return this.#writer.finish();
  }

  message(schema: Schema, object: JsonObject): void {
    if (!this.#drops) {
      for (const name of Object.keys(object)) this.#refuseUnsayable(schema, name);
    }
    this.#slots(planOf(schema), object);
  }

  #slots(plan: Plan, object: JsonObject): void {
    for (const slot of plan.slots.values()) {
      if (slot.inlined !== undefined) {
        this.#writer.message(slot.number, () => this.#slots(slot.inlined, object));
        continue;
      }
      this.#path.push(slot.name);
      this.#field(slot.field, slot.number, getOwn(object, slot.name) ?? undefined);
      this.#path.pop();
    }
  }

  #field({ schema, pointer }: Field, number: number, value: unknown): void {
    if (schema.type === "array" && schema.wire === undefined) {
      this.#elements(schema, number, value);
    } else if (schema.type === "map") {
      const entries = Object.entries(this.#object(value));
      for (const [key, element] of entries.toSorted(([a], [b]) => compareText(a, b))) {
        this.#path.push(key);
        this.#writer.message(number, () => {
          this.#value(text, 1, key);
          this.#value(schema.items ?? anything, 2, element);
        });
        this.#path.pop();
      }
    } else if (value !== undefined || !mayBeAbsent(schema, pointer)) {
      this.#value(schema, number, value);
    }
  }

  #elements(schema: Schema, number: number, value: unknown): void {
    if (value === undefined) return;
    if (!Array.isArray(value)) throw this.#cannot("it is no array");
    for (const [index, element] of value.entries()) {
      this.#path.push(index);
      this.#value(schema.items ?? anything, number, element);
      this.#path.pop();
    }
  }

  #value(schema: Schema, number: number, value: unknown): void {
    const scalar = scalarForms.get(schema.type);
    if (scalar !== undefined) {
      this.#writer.tag(number, scalar.wire);
      scalar.write(this.#writer, value ?? scalar.zero);
      return;
    }
    this.#writer.message(number, () => {
      const compound = compoundOf(schema.type);
      if (schema.wire === "union") this.message(schema, choose(schema, value));
      else if (schema.wire === "wrapped") this.#elements(schema, 1, value);
      else if (compound !== undefined) this.message(compound.message, compound.fromJson(value));
      else this.message(schema, this.#object(value));
    });
  }

  #object(value: unknown): JsonObject {
    if (value === undefined || isObject(value)) return value ?? {};
    throw this.#cannot("it is no object");
  }

  /** Refuses a field that exists in JSON only; apiVersion and kind are in the envelope. */
  #refuseUnsayable(schema: Schema, name: string): void {
    const field = schema.fields?.get(name);
    if (field?.number !== undefined) return;
    if (field !== undefined && (name === "apiVersion" || name === "kind")) return;
    this.#path.push(name);
    throw this.#cannot(field === undefined ? "no such field" : "the field exists in JSON only");
  }

  #cannot(state: string): Error {
    return new Error(`Cannot encode ${formatPath(this.#path) || "the object"}: ${state}`);
  }
}

const text: Schema = { type: "string" };
const anything: Schema = { type: "any" };

function mayBeAbsent(schema: Schema, pointer: boolean | undefined): boolean {
  return pointer === true || schema.type === "bytes";
}

/** The union message with the value in its alternative; a boolean tells that there is one. */
function choose(schema: Schema, value: unknown): JsonObject {
  const message: JsonObject = {};
  for (const [name, field] of schema.fields ?? []) {
    const { type } = field.schema;
    if (type === "boolean") message[name] = value !== false;
    else if (Array.isArray(value) ? type === "array" : isObject(value) && type === "object") {
      message[name] = value;
    }
  }
  return message;
}
