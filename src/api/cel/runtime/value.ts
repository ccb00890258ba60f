// Values of expressions. An int is a bigint, a double a number; the other kinds have classes.

export type Literal = null | boolean | bigint | Uint | number | string | Uint8Array;

export type Value =
  | Literal
  | Timestamp
  | Duration
  | ListValue
  | MapValue
  | OptionalValue
  | TypeValue
  | Opaque
  | CelError;

/** An unsigned integer of 64 bits. */
export class Uint {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

export class Timestamp {
  /** The nanoseconds since 1970. */
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

export class Duration {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** A list; subclasses read their elements from where they are. */
export abstract class ListValue {
  abstract readonly size: number;
  abstract at(index: number): Value;

  *[Symbol.iterator](): Generator<Value> {
    for (let index = 0; index < this.size; index++) yield this.at(index);
  }
}

export class PlainList extends ListValue {
  readonly elements: readonly Value[];

  constructor(elements: readonly Value[]) {
    super();
    this.elements = elements;
  }

  override get size(): number {
    return this.elements.length;
  }

  override at(index: number): Value {
    return this.elements[index] as Value;
  }
}

/** A map, or an object with declared fields. */
export abstract class MapValue {
  abstract readonly size: number;
  /** The name of the object's type; `undefined` for a map. */
  readonly typeName: string | undefined;
  abstract find(key: Value): Value | undefined;
  abstract keys(): Iterable<Value>;

  constructor(typeName?: string) {
    this.typeName = typeName;
  }
}

export class PlainMap extends MapValue {
  #entries = new Map<string, readonly [Value, Value]>();

  constructor(entries: Iterable<readonly [Value, Value]> = [], typeName?: string) {
    super(typeName);
    for (const [key, value] of entries) this.#entries.set(keyText(key) ?? "", [key, value]);
  }

  override get size(): number {
    return this.#entries.size;
  }

  override find(key: Value): Value | undefined {
    const text = keyText(key);
    return text === undefined ? undefined : this.#entries.get(text)?.[1];
  }

  override *keys(): Generator<Value> {
    for (const [key] of this.#entries.values()) yield key;
  }

  /** Returns a map with the same entries. */
  finished(): PlainMap {
    const map = new PlainMap([], this.typeName);
    map.#entries = this.#entries;
    return map;
  }

  set(key: Value, value: Value): void {
    this.#entries.set(keyText(key) ?? "", [key, value]);
  }

  /** Returns false when the key exists already. */
  insert(key: Value, value: Value): boolean {
    const text = keyText(key) ?? "";
    if (this.#entries.has(text)) return false;
    this.#entries.set(text, [key, value]);
    return true;
  }
}

export class OptionalValue {
  readonly value: Value | undefined;

  constructor(value: Value | undefined) {
    this.value = value;
  }
}

export class TypeValue {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** A value of a library, such as a quantity, which only the library's functions understand. */
export abstract class Opaque {
  abstract readonly typeName: string;
  /** The size that counts for costs. */
  readonly size: number = 1;
  abstract equals(other: Opaque): boolean;
}

/** A failed evaluation. It is a value, since `&&` and `||` may ignore it. */
export class CelError {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

export const noSuchOverload = new CelError("no such overload");

/** Returns a text that is the same for equal keys, numbers of different types included. */
export function keyText(key: Value): string | undefined {
  if (typeof key === "string") return `s${key}`;
  if (typeof key === "bigint") return `n${key}`;
  if (key instanceof Uint) return `n${key.value}`;
  if (typeof key === "boolean") return `b${key}`;
  if (typeof key === "number") return Number.isInteger(key) ? `n${BigInt(key)}` : undefined;
  return undefined;
}

/** Returns the text of a key in messages. */
export function keyLabel(key: Value): string {
  if (key instanceof Uint) return String(key.value);
  return typeof key === "object" ? typeNameOf(key) : String(key);
}

export function typeNameOf(value: Value): string {
  if (value === null) return "null_type";
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "bigint":
      return "int";
    case "number":
      return "double";
    case "string":
      return "string";
    default:
      return objectTypeName(value);
  }
}

function objectTypeName(value: Exclude<Value, Literal> | Uint | Uint8Array): string {
  if (value instanceof Uint) return "uint";
  if (value instanceof Uint8Array) return "bytes";
  if (value instanceof Timestamp) return "google.protobuf.Timestamp";
  if (value instanceof Duration) return "google.protobuf.Duration";
  if (value instanceof ListValue) return "list";
  if (value instanceof MapValue) return value.typeName ?? "map";
  if (value instanceof OptionalValue) return "optional_type";
  if (value instanceof TypeValue) return "type";
  if (value instanceof CelError) return "error";
  return value.typeName;
}

/** Returns the size that counts for costs: characters, bytes, elements or entries, else 1. */
export function sizeOf(value: Value): number {
  if (typeof value === "string") return characters(value);
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof ListValue || value instanceof MapValue) return value.size;
  if (value instanceof Opaque) return value.size;
  if (value instanceof OptionalValue && value.value !== undefined) return sizeOf(value.value);
  return 1;
}

const surrogate = /[\ud800-\udbff]/;

/** Returns the number of code points. */
export function characters(text: string): number {
  if (!surrogate.test(text)) return text.length;
  let count = 0;
  for (const _ of text) count++;
  return count;
}
