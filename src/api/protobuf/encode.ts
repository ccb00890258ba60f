import { formatPath } from "../json/scan.ts";
import { compareText, getOwn, isObject, type JsonObject } from "../json/value.ts";
import type { Field, Schema } from "../schema/model.ts";
import { compoundOf } from "./compound.ts";
import { type Plan, planOf } from "./plan.ts";
import { wireTypes } from "./reader.ts";
import { scalarForms } from "./scalar.ts";
import { Writer } from "./writer.ts";

/** The bytes Go writes for an object: fields by number, those that are no pointers always. */
export function encodeMessage(schema: Schema, object: JsonObject): Uint8Array {
  const writer = new Writer();
  new Encoder().message(schema, object, writer);
  return writer.finish();
}

class Encoder {
  readonly #path: (string | number)[] = [];

  message(schema: Schema, object: JsonObject, writer: Writer): void {
    for (const name of Object.keys(object)) this.#refuseUnsayable(schema, name);
    this.#slots(planOf(schema), object, writer);
  }

  #slots(plan: Plan, object: JsonObject, writer: Writer): void {
    for (const slot of plan.slots.values()) {
      if (slot.inlined !== undefined) {
        writer.message(slot.number, (inner) => this.#slots(slot.inlined, object, inner));
        continue;
      }
      this.#path.push(slot.name);
      this.#field(slot.field, { number: slot.number, value: getOwn(object, slot.name), writer });
      this.#path.pop();
    }
  }

  #field(
    { schema, pointer }: Field,
    { number, value, writer }: { number: number; value: unknown; writer: Writer },
  ): void {
    const given = value ?? undefined;
    if (schema.type === "array" && schema.wire === undefined) {
      for (const [index, element] of this.#list(given).entries()) {
        this.#path.push(index);
        this.#value(schema.items ?? anything, { number, value: element, writer });
        this.#path.pop();
      }
    } else if (schema.type === "map") {
      const entries = Object.entries(this.#object(given));
      for (const [key, element] of entries.toSorted(([a], [b]) => compareText(a, b))) {
        this.#path.push(key);
        writer.message(number, (entry) => {
          entry.tag(1, wireTypes.bytes);
          entry.string(key);
          this.#value(schema.items ?? anything, { number: 2, value: element, writer: entry });
        });
        this.#path.pop();
      }
    } else if (given !== undefined || !mayBeAbsent(schema, pointer)) {
      this.#value(schema, { number, value: given, writer });
    }
  }

  #value(
    schema: Schema,
    { number, value, writer }: { number: number; value: unknown; writer: Writer },
  ): void {
    const scalar = scalarForms.get(schema.type);
    const compound = compoundOf(schema.type);
    if (scalar !== undefined) {
      writer.tag(number, scalar.wire);
      scalar.write(writer, value ?? scalar.zero);
    } else if (schema.wire === "union") {
      writer.message(number, (inner) => this.message(schema, choose(schema, value), inner));
    } else if (schema.wire === "wrapped") {
      const { items = anything } = schema;
      writer.message(number, (inner) => {
        for (const each of this.#list(value)) {
          this.#value(items, { number: 1, value: each, writer: inner });
        }
      });
    } else if (compound !== undefined) {
      const message = compound.fromJson(value);
      writer.message(number, (inner) => this.message(compound.message, message, inner));
    } else {
      const object = this.#object(value);
      writer.message(number, (inner) => this.message(schema, object, inner));
    }
  }

  #list(value: unknown): readonly unknown[] {
    if (value === undefined || Array.isArray(value)) return value ?? [];
    throw this.#cannot("it is no array");
  }

  #object(value: unknown): JsonObject {
    if (value === undefined || isObject(value)) return value ?? {};
    throw this.#cannot("it is no object");
  }

  /** The envelope carries apiVersion and kind; nothing carries what exists in JSON only. */
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

const anything: Schema = { type: "any" };

function mayBeAbsent(schema: Schema, pointer: boolean | undefined): boolean {
  return pointer === true || schema.type === "bytes";
}

/** The message of alternatives in which a value takes its place; a boolean says that there is one. */
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
