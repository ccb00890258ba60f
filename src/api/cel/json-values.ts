// Values of JSON, read as their types say. Nothing is converted before it is looked at.
import { isObject, type JsonObject } from "../../base/json/value.ts";
import { escapeName, unescapeName } from "./names.ts";
import { Steps } from "./runtime/steps.ts";
import { durationText, parseDuration, parseTimestamp, timestampText } from "./runtime/times.ts";
import {
  CelError,
  Duration,
  keyLabel,
  ListValue,
  MapValue,
  OptionalValue,
  Timestamp,
  Uint,
  type Value,
} from "./runtime/value.ts";
import { dynType, type ObjectType, type Type } from "./types.ts";

/** Returns the value of JSON; what has no type is an int, a double, a list or a map by itself. */
export function fromJson(json: unknown, type: Type = dynType): Value {
  if (json === null || json === undefined) return null;
  switch (type.kind) {
    case "object":
      return isObject(json) ? new JsonFields(json, type) : wrong(json, "object");
    case "map":
      return isObject(json) ? new JsonMap(json, type.value) : wrong(json, "map");
    case "list":
      return Array.isArray(json) ? new JsonList(json, type.of) : wrong(json, "list");
    case "int":
      return integer(json) ?? wrong(json, "int");
    case "double":
      return typeof json === "number" || typeof json === "bigint"
        ? Number(json)
        : wrong(json, "double");
    case "bytes":
      return new Uint8Array(Buffer.from(textOf(json), "base64"));
    case "timestamp":
      return timeOf(textOf(json)) ?? wrong(json, "timestamp");
    case "duration":
      return parseDuration(textOf(json)) ?? wrong(json, "duration");
    default:
      return untyped(json);
  }
}

function untyped(json: unknown): Value {
  if (Array.isArray(json)) return new JsonList(json, dynType);
  if (isObject(json)) return new JsonMap(json, dynType);
  if (typeof json === "number" || typeof json === "bigint") return integer(json) ?? Number(json);
  return json as Value;
}

function textOf(json: unknown): string {
  return typeof json === "string" ? json : "";
}

function integer(json: unknown): bigint | undefined {
  if (typeof json === "bigint") return json;
  return typeof json === "number" && Number.isInteger(json) ? BigInt(json) : undefined;
}

function timeOf(text: string): Value | undefined {
  return parseTimestamp(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text);
}

function wrong(json: unknown, type: string): CelError {
  const found = Array.isArray(json) ? "array" : typeof json;
  return new CelError(`invalid data, expected ${type}, got ${found}`);
}

class JsonList extends ListValue {
  readonly #elements: readonly unknown[];
  readonly #type: Type;

  constructor(elements: readonly unknown[], type: Type) {
    super();
    this.#elements = elements;
    this.#type = type;
  }

  override get size(): number {
    return this.#elements.length;
  }

  override at(index: number): Value {
    return fromJson(this.#elements[index], this.#type);
  }
}

class JsonMap extends MapValue {
  readonly #json: JsonObject;
  readonly #type: Type;

  constructor(json: JsonObject, type: Type) {
    super();
    this.#json = json;
    this.#type = type;
  }

  override get size(): number {
    return Object.keys(this.#json).length;
  }

  override find(key: Value): Value | undefined {
    if (typeof key !== "string" || !Object.hasOwn(this.#json, key)) return undefined;
    return fromJson(this.#json[key], this.#type);
  }

  override keys(): Iterable<Value> {
    return Object.keys(this.#json);
  }
}

/** An object with declared fields; its others are not visible. */
class JsonFields extends MapValue {
  readonly #json: JsonObject;
  readonly #type: ObjectType;

  constructor(json: JsonObject, type: ObjectType) {
    super(type.name);
    this.#json = json;
    this.#type = type;
  }

  override get size(): number {
    return [...this.keys()].length;
  }

  override find(key: Value): Value | undefined {
    if (typeof key !== "string") return undefined;
    const type = this.#type.fields?.get(key);
    const name = unescapeName(key);
    if (type === undefined || !Object.hasOwn(this.#json, name)) return undefined;
    return fromJson(this.#json[name], type);
  }

  override *keys(): Generator<Value> {
    for (const name of Object.keys(this.#json)) {
      const escaped = escapeName(name);
      if (escaped !== undefined && this.#type.fields?.has(escaped) === true) yield escaped;
    }
  }
}

/** Makes an object whose fields are worked out when they are read. */
export function lazyFields(
  typeName: string,
  names: readonly string[],
  read: (name: string) => Value | undefined,
): Value {
  return new LazyFields(typeName, names, read);
}

class LazyFields extends MapValue {
  readonly #names: readonly string[];
  readonly #read: (name: string) => Value | undefined;
  readonly #known = new Map<string, Value>();

  constructor(
    typeName: string,
    names: readonly string[],
    read: (name: string) => Value | undefined,
  ) {
    super(typeName);
    this.#names = names;
    this.#read = read;
  }

  override get size(): number {
    return this.#names.length;
  }

  override find(key: Value): Value | undefined {
    if (typeof key !== "string") return undefined;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const value = this.#read(key);
    if (value !== undefined) this.#known.set(key, value);
    return value;
  }

  override keys(): Iterable<Value> {
    return this.#names;
  }
}

/** Returns an optional value. */
export function optionalOf(value: Value | undefined): Value {
  return new OptionalValue(value);
}

/** Returns the JSON of a value; throws when it has none. */
export function toJson(value: Value, steps = new Steps()): unknown {
  steps.take();
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return shortest(value);
  if (value instanceof Uint) return shortest(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof Duration) return durationText(value);
  if (value instanceof ListValue) return [...value].map((each) => toJson(each, steps));
  if (!(value instanceof MapValue)) throw new TypeError("Cannot write the value as JSON");
  const isObjectValue = value.typeName !== undefined;
  return Object.fromEntries(
    [...value.keys()].map((key) => {
      const name = isObjectValue ? unescapeName(keyLabel(key)) : keyLabel(key);
      return [name, toJson(value.find(key) as Value, steps)];
    }),
  );
}

/** Returns an integer as a number where that is exact. */
function shortest(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
