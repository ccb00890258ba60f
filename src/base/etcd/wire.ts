// Protocol buffers, as far as etcd needs them. A message is a table of its fields, and its TypeScript type
// follows from the table. Integers are numbers: revisions stay below 2^53, and so do the lease ids that the
// client chooses. Fields that a table does not name are skipped, and zero values are not sent.

/** A field type: how a value is read, and what may be given to be written. */
interface Type<T, Given = T> {
  readonly wireType: 0 | 2;
  readonly zero: T;
  size(value: Given): number;
  /** Writes the value and returns the offset behind it. */
  write(buffer: Buffer, at: number, value: Given): number;
  read(reader: Reader): T;
}

interface Reader {
  readonly buffer: Buffer;
  at: number;
}

interface Field<T, Given, List extends boolean> {
  readonly number: number;
  readonly type: Type<T, Given>;
  readonly isList: List;
}

type Fields = Readonly<Record<string, Field<unknown, never, boolean>>>;

type Decoded<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends Field<infer T, never, infer List>
    ? true extends List
      ? readonly NonNullable<T>[]
      : T
    : never;
};

type Encodable<F extends Fields> = {
  readonly [K in keyof F]?: F[K] extends { type: Type<infer _, infer Given>; isList: infer List }
    ? (true extends List ? readonly Given[] : Given) | undefined
    : never;
};

/** A message type; a field of this type may be absent. */
export interface Message<T, Given> extends Type<T | undefined, Given> {
  encode(value: Given): Buffer;
  decode(buffer: Buffer): T;
}

export type Sent<M> = M extends Message<infer _, infer Given> ? Given : never;
export type Received<M> = M extends Message<infer T, infer _> ? T : never;

export function one<T, Given>(number: number, type: Type<T, Given>): Field<T, Given, false> {
  return { number, type, isList: false };
}

export function many<T, Given>(number: number, type: Type<T, Given>): Field<T, Given, true> {
  return { number, type, isList: true };
}

export const integer: Type<number> = {
  wireType: 0,
  zero: 0,
  size: varintSize,
  write: writeVarint,
  read: readVarint,
};

/** An unsigned number of 64 bits, such as the ids that etcd chooses for its members. */
export const identifier: Type<bigint> = {
  wireType: 0,
  zero: 0n,
  size: (value) => {
    let size = 1;
    for (let rest = value; rest >= 0x80n; rest >>= 7n) size++;
    return size;
  },
  write: (buffer, start, value) => {
    let at = start;
    let rest = value;
    for (; rest >= 0x80n; rest >>= 7n) buffer[at++] = Number(rest & 0x7fn) | 0x80;
    buffer[at++] = Number(rest);
    return at;
  },
  read: (reader) => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = reader.buffer[reader.at++];
      if (byte === undefined) break;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new RangeError(`Cannot decode an id at byte ${reader.at}: it does not end`);
  },
};

export const boolean: Type<boolean> = {
  wireType: 0,
  zero: false,
  size: () => 1,
  write: (buffer, at, value) => writeVarint(buffer, at, value ? 1 : 0),
  read: (reader) => readVarint(reader) !== 0,
};

export const bytes: Type<Uint8Array> = {
  wireType: 2,
  zero: new Uint8Array(0),
  size: ({ length }) => varintSize(length) + length,
  write: (buffer, at, value) => {
    const start = writeVarint(buffer, at, value.length);
    buffer.set(value, start);
    return start + value.length;
  },
  read: readBytes,
};

export const text: Type<string> = {
  wireType: 2,
  zero: "",
  size: (value) => {
    const length = Buffer.byteLength(value);
    return varintSize(length) + length;
  },
  write: (buffer, at, value) => {
    const start = writeVarint(buffer, at, Buffer.byteLength(value));
    return start + buffer.write(value, start);
  },
  read: (reader) => readBytes(reader).toString(),
};

export function message<F extends Fields>(fields: F): Message<Decoded<F>, Encodable<F>> {
  const table = new MessageTable(fields);
  const decode = (buffer: Buffer): Decoded<F> => table.decode(buffer) as Decoded<F>;
  const sizeOf = (value: Encodable<F>): number => table.size(value);
  return {
    wireType: 2,
    zero: undefined,
    size: (value) => {
      const size = sizeOf(value);
      return varintSize(size) + size;
    },
    write: (buffer, at, value) =>
      table.write(buffer, writeVarint(buffer, at, sizeOf(value)), value),
    read: (reader) => decode(readBytes(reader)),
    encode: (value) => {
      const buffer = Buffer.allocUnsafe(sizeOf(value));
      table.write(buffer, 0, value);
      return buffer;
    },
    decode,
  };
}

type Values = Readonly<Record<string, unknown>>;

/** The untyped part of a message: its fields by name and by number. */
class MessageTable {
  readonly #fields: readonly (readonly [string, Field<unknown, unknown, boolean>])[];
  readonly #byNumber = new Map<number, readonly [string, Field<unknown, unknown, boolean>]>();

  constructor(fields: Fields) {
    this.#fields = Object.entries(fields as Record<string, Field<unknown, unknown, boolean>>);
    for (const entry of this.#fields) this.#byNumber.set(entry[1].number, entry);
  }

  size(values: Values): number {
    let size = 0;
    for (const [name, field] of this.#fields) {
      const value = values[name];
      if (isZero(value)) continue;
      for (const item of field.isList ? (value as readonly unknown[]) : [value]) {
        size += varintSize(field.number << 3) + field.type.size(item);
      }
    }
    return size;
  }

  write(buffer: Buffer, start: number, values: Values): number {
    let at = start;
    for (const [name, field] of this.#fields) {
      const value = values[name];
      if (isZero(value)) continue;
      for (const item of field.isList ? (value as readonly unknown[]) : [value]) {
        at = writeVarint(buffer, at, (field.number << 3) | field.type.wireType);
        at = field.type.write(buffer, at, item);
      }
    }
    return at;
  }

  decode(buffer: Buffer): Record<string, unknown> {
    const values: Record<string, unknown> = {};
    for (const [name, { type, isList }] of this.#fields) values[name] = isList ? [] : type.zero;
    const reader: Reader = { buffer, at: 0 };
    while (reader.at < buffer.length) {
      const tag = readVarint(reader);
      const entry = this.#byNumber.get(tag >>> 3);
      if (entry === undefined || entry[1].type.wireType !== (tag & 7)) {
        skip(reader, tag & 7);
        continue;
      }
      const [name, { type, isList }] = entry;
      const value = type.read(reader);
      if (isList) (values[name] as unknown[]).push(value);
      else values[name] = value;
    }
    return values;
  }
}

function isZero(value: unknown): boolean {
  if (value instanceof Uint8Array) return value.length === 0;
  return value === undefined || value === 0 || value === 0n || value === false || value === "";
}

function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++;
  return size;
}

/** Writes a varint; no value that is sent is negative. */
function writeVarint(buffer: Buffer, start: number, value: number): number {
  let at = start;
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) buffer[at++] = (rest % 0x80) | 0x80;
  buffer[at++] = rest;
  return at;
}

/** Reads a varint in three parts, since only the whole may be too large for 32-bit arithmetic. */
function readVarint(reader: Reader): number {
  const { buffer } = reader;
  const parts: [number, number, number] = [0, 0, 0];
  for (let count = 0; count < 10; count++) {
    const byte = buffer[reader.at++];
    if (byte === undefined) break;
    const part = (count >> 2) as 0 | 1 | 2;
    parts[part] |= (byte & 0x7f) << (7 * (count & 3));
    if (byte >= 0x80) continue;
    const [low, middle, high] = parts;
    const signed = high < 0x80 ? high : high - 0x100;
    return (signed * 2 ** 28 + middle) * 2 ** 28 + low;
  }
  throw new RangeError(`Cannot decode an integer at byte ${reader.at}: it does not end`);
}

function readBytes(reader: Reader): Buffer {
  const length = readVarint(reader);
  const start = reader.at;
  if (length < 0 || start + length > reader.buffer.length) {
    throw new RangeError(`Cannot decode ${length} bytes at byte ${start}: the message ends before`);
  }
  reader.at = start + length;
  return reader.buffer.subarray(start, reader.at);
}

function skip(reader: Reader, wireType: number): void {
  if (wireType === 0) readVarint(reader);
  else if (wireType === 2) readBytes(reader);
  else if (wireType === 1) reader.at += 8;
  else if (wireType === 5) reader.at += 4;
  else
    throw new RangeError(`Cannot decode wire type ${wireType} at byte ${reader.at}: it is unknown`);
}
