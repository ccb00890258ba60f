// Types that are scalars in JSON and small messages in protobuf.

import { ParseError } from "../../base/json/error.ts";
import { parseJson } from "../../base/json/parse-json.ts";
import type { JsonObject } from "../../base/json/value.ts";
import type { Schema, SchemaType } from "../schema/model.ts";
import { openTable } from "../schema/parse.ts";

export interface Compound {
  readonly message: Schema;
  /** Converts the message to JSON; undefined where it is empty. */
  readonly toJson: (message: JsonObject) => unknown;
  readonly fromJson: (value: unknown) => JsonObject;
}

export function compoundOf(type: SchemaType): Compound | undefined {
  return compounds.get(type);
}

const shapes = openTable(
  `
Timestamp
  seconds 1 *int64
  nanos   2 *int32

IntOrString
  type   1 *int64
  intVal 2 *int32
  strVal 3 *string

Quantity
  string 1 *string

Raw
  raw 1 bytes
`,
  { prefix: "wire" },
);

function shape(name: string): Schema {
  const schema = shapes.type(name);
  if (schema === undefined) throw new Error(`Cannot find the message ${name}`);
  return schema;
}

const compounds: ReadonlyMap<SchemaType, Compound> = new Map<SchemaType, Compound>([
  [
    "time",
    {
      message: shape("Timestamp"),
      toJson: (message) => timeText(message)?.replace(/\.\d+Z$/, "Z"),
      fromJson: (value) => timestamp(value, 0),
    },
  ],
  [
    "microTime",
    {
      message: shape("Timestamp"),
      toJson: (message) => {
        const micros = Math.trunc(Number(message["nanos"] ?? 0) / 1000);
        return timeText(message)?.replace(/\.\d+Z$/, `.${String(micros).padStart(6, "0")}Z`);
      },
      fromJson: (value) => timestamp(value, 6),
    },
  ],
  [
    "intOrString",
    {
      message: shape("IntOrString"),
      toJson: ({ type, intVal, strVal }) => (type === 1 ? (strVal ?? "") : (intVal ?? 0)),
      fromJson: (value) =>
        typeof value === "string"
          ? { type: 1, intVal: 0, strVal: value }
          : { type: 0, intVal: value ?? 0, strVal: "" },
    },
  ],
  [
    "quantity",
    {
      message: shape("Quantity"),
      toJson: ({ string }) => string ?? "0",
      fromJson: (value) => ({
        string: ["string", "number", "bigint"].includes(typeof value) ? String(value) : "0",
      }),
    },
  ],
  [
    "any",
    {
      message: shape("Raw"),
      toJson: ({ raw }) =>
        typeof raw === "string" ? parseJson(Buffer.from(raw, "base64")) : undefined,
      fromJson: (value) =>
        value === undefined ? {} : { raw: Buffer.from(JSON.stringify(value)).toString("base64") },
    },
  ],
]);

/** Years 1 to 9999: the times that have an RFC 3339 form. */
const earliest = -62_135_596_800;
const latest = 253_402_300_799;

function timeText({ seconds, nanos }: JsonObject): string | undefined {
  if (seconds === undefined && nanos === undefined) return undefined;
  const value = Number(seconds ?? 0);
  if (value < earliest || value > latest) {
    throw new ParseError("InvalidNumber", `${value} seconds are outside the years 1 to 9999`);
  }
  return new Date(value * 1000).toISOString();
}

function timestamp(value: unknown, digits: number): JsonObject {
  if (typeof value !== "string") return {};
  const fraction = (/\.(\d+)/.exec(value)?.[1] ?? "").slice(0, digits).padEnd(9, "0");
  return { seconds: Math.floor(Date.parse(value) / 1000), nanos: Number(fraction) };
}
