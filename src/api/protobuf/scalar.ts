import type { SchemaType } from "../schema/model.ts";
import { type Reader, wireTypes } from "./reader.ts";
import type { Writer } from "./writer.ts";

/** The wire form of a scalar. */
export interface ScalarForm {
  readonly wire: number;
  readonly zero: unknown;
  readonly read: (reader: Reader) => unknown;
  readonly write: (writer: Writer, value: unknown) => void;
}

export const scalarForms: ReadonlyMap<SchemaType, ScalarForm> = new Map<SchemaType, ScalarForm>([
  [
    "boolean",
    {
      wire: wireTypes.varint,
      zero: false,
      read: (reader) => reader.boolean(),
      write: (writer, value) => writer.boolean(value === true),
    },
  ],
  ["int32", integer((reader) => reader.int32())],
  ["int64", integer((reader) => reader.int64())],
  [
    "double",
    {
      wire: wireTypes.fixed64,
      zero: 0,
      read: (reader) => reader.double(),
      write: (writer, value) => writer.double(Number(value)),
    },
  ],
  [
    "string",
    {
      wire: wireTypes.bytes,
      zero: "",
      read: (reader) => reader.string(),
      write: (writer, value) => writer.string(String(value)),
    },
  ],
  [
    "bytes",
    {
      wire: wireTypes.bytes,
      zero: "",
      read: (reader) => Buffer.from(reader.bytes()).toString("base64"),
      write: (writer, value) => writer.bytes(Buffer.from(String(value), "base64")),
    },
  ],
]);

function integer(read: (reader: Reader) => number | bigint): ScalarForm {
  return {
    wire: wireTypes.varint,
    zero: 0,
    read,
    write: (writer, value) => writer.integer(typeof value === "bigint" ? value : Number(value)),
  };
}
