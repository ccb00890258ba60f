// Conversions between types.
import { doubleText, int, intOfDouble, timestamp, uint, uintOfDouble } from "../runtime/numbers.ts";
import { durationText, parseDuration, parseTimestamp, timestampText } from "../runtime/times.ts";
import type { Timestamp } from "../runtime/value.ts";
import {
  CelError,
  Duration,
  TypeValue,
  typeNameOf,
  type Uint,
  type Value,
} from "../runtime/value.ts";
import type { Implementation, Library } from "./library.ts";

const same: Implementation = (value) => value;

function impossible(from: string, to: string): CelError {
  return new CelError(`type conversion error from '${from}' to '${to}'`);
}

const truths = new Set(["1", "t", "T", "true", "TRUE", "True"]);
const falsehoods = new Set(["0", "f", "F", "false", "FALSE", "False"]);

export const conversions: Library = {
  type: { type: ["(A) type(A)", (value) => new TypeValue(typeNameOf(value))] },
  dyn: { to_dyn: ["(A) dyn", same] },
  bool: {
    bool_to_bool: ["(bool) bool", same],
    string_to_bool: [
      "(string) bool",
      (text) => {
        if (truths.has(text as string)) return true;
        return falsehoods.has(text as string) ? false : impossible("string", "bool");
      },
    ],
  },
  bytes: {
    bytes_to_bytes: ["(bytes) bytes", same],
    string_to_bytes: ["(string) bytes", (text) => new Uint8Array(Buffer.from(text as string))],
  },
  double: {
    double_to_double: ["(double) double", same],
    int64_to_double: ["(int) double", (value) => Number(value)],
    string_to_double: ["(string) double", (text) => parseDouble(text as string)],
    uint64_to_double: ["(uint) double", (value) => Number((value as Uint).value)],
  },
  duration: {
    duration_to_duration: ["(duration) duration", same],
    int64_to_duration: ["(int) duration", (value) => new Duration(value as bigint)],
    string_to_duration: [
      "(string) duration",
      (text) => parseDuration(text as string) ?? impossible("string", "google.protobuf.Duration"),
    ],
  },
  int: {
    int64_to_int64: ["(int) int", same],
    double_to_int64: ["(double) int", (value) => intOfDouble(value as number)],
    duration_to_int64: ["(duration) int", (value) => (value as Duration).nanos],
    string_to_int64: [
      "(string) int",
      (text) =>
        /^[+-]?\d+$/.test(text as string)
          ? inRange(int(BigInt((text as string).replace("+", ""))), "int")
          : impossible("string", "int"),
    ],
    timestamp_to_int64: ["(timestamp) int", (value) => secondsOf(value as Timestamp)],
    uint64_to_int64: ["(uint) int", (value) => int((value as Uint).value)],
  },
  uint: {
    uint64_to_uint64: ["(uint) uint", same],
    double_to_uint64: ["(double) uint", (value) => uintOfDouble(value as number)],
    int64_to_uint64: ["(int) uint", (value) => uint(value as bigint)],
    string_to_uint64: [
      "(string) uint",
      (text) =>
        /^\d+$/.test(text as string)
          ? inRange(uint(BigInt(text as string)), "uint")
          : impossible("string", "uint"),
    ],
  },
  string: {
    string_to_string: ["(string) string", same],
    bool_to_string: ["(bool) string", (value) => String(value as boolean)],
    bytes_to_string: [
      "(bytes) string",
      (value) => {
        const text = Buffer.from(value as Uint8Array).toString();
        const isValid = Buffer.from(text).equals(value as Uint8Array);
        return isValid ? text : new CelError("invalid UTF-8 in bytes, cannot convert to string");
      },
    ],
    double_to_string: ["(double) string", (value) => doubleText(value as number)],
    duration_to_string: ["(duration) string", (value) => durationText(value as Duration)],
    int64_to_string: ["(int) string", (value) => String(value as bigint)],
    timestamp_to_string: ["(timestamp) string", (value) => timestampText(value as Timestamp)],
    uint64_to_string: ["(uint) string", (value) => String((value as Uint).value)],
  },
  timestamp: {
    timestamp_to_timestamp: ["(timestamp) timestamp", same],
    int64_to_timestamp: [
      "(int) timestamp",
      (value) => timestamp((value as bigint) * 1_000_000_000n),
    ],
    string_to_timestamp: [
      "(string) timestamp",
      (text) => parseTimestamp(text as string) ?? impossible("string", "google.protobuf.Timestamp"),
    ],
  },
};

function inRange<Result extends Value>(value: Result, type: string): Result | CelError {
  return value instanceof CelError ? impossible("string", type) : value;
}

function secondsOf({ nanos }: Timestamp): bigint {
  const seconds = nanos / 1_000_000_000n;
  return nanos % 1_000_000_000n < 0n ? seconds - 1n : seconds;
}

function parseDouble(text: string): number | CelError {
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) {
    const value = Number(text);
    return Number.isFinite(value) ? value : impossible("string", "double");
  }
  const word = /^([+-]?)(inf|infinity|nan)$/i.exec(text);
  if (word === null) return impossible("string", "double");
  if (word[2]?.toLowerCase() === "nan") return Number.NaN;
  return word[1] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}
