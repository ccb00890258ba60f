// `"%s has %d".format([...])`.

import { compareStrings } from "../runtime/compare.ts";
import { checkLength, Steps } from "../runtime/steps.ts";
import {
  CelError,
  ListValue,
  MapValue,
  TypeValue,
  typeNameOf,
  Uint,
  type Value,
} from "../runtime/value.ts";
import { conversions } from "./conversions.ts";

const clause = /%(?:(%)|(?:\.(\d*))?([A-Za-z]))/y;
const mostDigits = 1000;

export function formatString(format: string, args: ListValue): Value {
  const parts: string[] = [];
  const steps = new Steps();
  let used = 0;
  let length = 0;
  for (let offset = 0; offset < format.length; ) {
    const mark = format.indexOf("%", offset);
    const plain = format.slice(offset, mark < 0 ? format.length : mark);
    parts.push(plain);
    length += plain.length;
    if (mark < 0) break;
    clause.lastIndex = mark;
    const found = clause.exec(format);
    if (found === null) return new CelError("unexpected end of string");
    offset = mark + found[0].length;
    if (found[1] !== undefined) {
      parts.push("%");
      continue;
    }
    if (used >= args.size) return new CelError(`index ${used} out of range`);
    const part = formatted(args.at(used++), { verb: found[3] ?? "", precision: found[2] }, steps);
    if (part instanceof CelError) return part;
    parts.push(part);
    length += part.length;
    checkLength(length);
  }
  return parts.join("");
}

/** The types that each clause takes; absent: any that has a text. */
const accepted: Readonly<Record<string, readonly [name: string, wanted: string, types: string[]]>> =
  {
    s: ["string", "", []],
    d: ["decimal", "integers", ["int", "uint"]],
    f: ["fixed-point", "doubles", ["double"]],
    e: ["scientific", "doubles", ["double"]],
    b: ["binary", "integers and bools", ["int", "uint", "bool"]],
    o: ["octal", "integers", ["int", "uint"]],
    x: ["hex", "integers, byte buffers, and strings", ["int", "uint", "bytes", "string"]],
    X: ["hex", "integers, byte buffers, and strings", ["int", "uint", "bytes", "string"]],
  };

/** Checks a format against the types of its arguments; returns the problem and the argument it is about. */
export function formatIssue(
  format: string,
  types: readonly string[],
): { readonly argument: number | undefined; readonly message: string } | undefined {
  let used = 0;
  for (const [, percent, verb = ""] of format.matchAll(/%(?:(%)|(?:\.\d*)?([A-Za-z]?))/g)) {
    if (percent !== undefined) continue;
    const rule = accepted[verb];
    if (rule === undefined) {
      const message = `could not parse formatting clause: unrecognized formatting clause ${JSON.stringify(verb)}`;
      return { argument: undefined, message };
    }
    const type = types[used];
    if (type === undefined) return { argument: undefined, message: `index ${used} out of range` };
    const [name, wanted, fitting] = rule;
    const isFree = type === "dyn" || fitting.length === 0;
    const given = type === "null" ? "null_type" : type;
    if (!isFree && !fitting.includes(type)) {
      return { argument: used, message: refusal(name, wanted, given) };
    }
    used++;
  }
  return undefined;
}

interface Clause {
  readonly verb: string;
  readonly precision: string | undefined;
}

function formatted(value: Value, { verb, precision }: Clause, steps: Steps): string | CelError {
  switch (verb) {
    case "s":
      return shown(value, steps);
    case "d":
      if (typeof value === "bigint") return String(value);
      if (value instanceof Uint) return String(value.value);
      return refuse("decimal", "integers", value);
    case "f":
    case "e":
      return withPrecision(value, verb, Number(precision ?? 6));
    case "b":
      if (typeof value === "boolean") return value ? "1" : "0";
      return inBase(value, 2) ?? refuse("binary", "integers and bools", value);
    case "o":
      return inBase(value, 8) ?? refuse("octal", "integers", value);
    case "x":
    case "X": {
      const text = hexadecimal(value);
      if (text === undefined) return refuse("hex", "integers, byte buffers, and strings", value);
      return verb === "X" ? text.toUpperCase() : text;
    }
    default:
      return new CelError(
        `could not parse formatting clause: unrecognized formatting clause "${verb}"`,
      );
  }
}

function refuse(clauseName: string, wanted: string, value: Value): CelError {
  return new CelError(refusal(clauseName, wanted, typeNameOf(value)));
}

function refusal(clauseName: string, wanted: string, given: string): string {
  const isShort = clauseName === "binary" || clauseName === "hex";
  const rule = isShort
    ? `only ${wanted} can be formatted as ${clauseName}`
    : `${clauseName} clause can only be used on ${wanted}`;
  return `error during formatting: ${rule}, was given ${given}`;
}

function withPrecision(value: Value, verb: "f" | "e", precision: number): string | CelError {
  const names: Readonly<Record<string, number>> = {
    NaN: Number.NaN,
    Infinity: Number.POSITIVE_INFINITY,
    "-Infinity": Number.NEGATIVE_INFINITY,
  };
  const number = typeof value === "string" ? names[value] : value;
  if (typeof number !== "number") {
    return refuse(verb === "f" ? "fixed-point" : "scientific", "doubles", value);
  }
  if (!Number.isFinite(number)) {
    const text = Number.isNaN(number) ? "NaN" : number > 0 ? "∞" : "-∞";
    return verb === "f" ? text : text.padStart(6);
  }
  const digits = Math.min(precision, mostDigits);
  if (verb === "f") {
    const [whole = "", fraction] = fixed(number, digits).split(".");
    const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ",");
    return fraction === undefined ? grouped : `${grouped}.${fraction}`;
  }
  const [mantissa = "", exponent = "0"] = number.toExponential(Math.min(digits, 100)).split("e");
  return `${mantissa}×10${superscript(Number(exponent))}`;
}

/** Returns a number with so many digits behind the point; a tie goes to the even digit. */
function fixed(number: number, digits: number): string {
  const rounded = number.toFixed(Math.min(digits, 100));
  const exact = number.toFixed(Math.min(digits + 40, 100));
  const point = exact.indexOf(".");
  const isTie = point >= 0 && /^50*$/.test(exact.slice(point + 1 + digits));
  const last = Number(rounded.at(-1));
  if (!isTie || last % 2 === 0) return rounded;
  return rounded.slice(0, -1) + String(last - 1);
}

const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹";

function superscript(exponent: number): string {
  const text = String(Math.abs(exponent)).padStart(2, "0");
  const digits = Array.from(text, (digit) => superscripts[Number(digit)]).join("");
  return exponent < 0 ? `⁻${digits}` : digits;
}

function inBase(value: Value, base: number): string | undefined {
  if (typeof value === "bigint") return value.toString(base);
  return value instanceof Uint ? value.value.toString(base) : undefined;
}

function hexadecimal(value: Value): string | undefined {
  if (typeof value === "string") return Buffer.from(value).toString("hex");
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  return inBase(value, 16);
}

/** Returns the text of a value; texts inside of lists and maps are quoted. */
function shown(value: Value, steps: Steps): string | CelError {
  steps.take();
  if (typeof value === "string") return value;
  if (value === null) return "null";
  if (value instanceof ListValue) return shownList(value, steps);
  if (value instanceof MapValue && value.typeName === undefined) return shownMap(value, steps);
  if (value instanceof TypeValue) return value.name;
  const type =
    { "google.protobuf.Timestamp": "timestamp", "google.protobuf.Duration": "duration" }[
      typeNameOf(value)
    ] ?? typeNameOf(value);
  const ids: Readonly<Record<string, string>> = { int: "int64", uint: "uint64" };
  const convert = conversions["string"]?.[`${ids[type] ?? type}_to_string`];
  if (convert === undefined) {
    return new CelError(
      `error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given ${typeNameOf(value)}`,
    );
  }
  const text = convert[1](value);
  return text instanceof CelError || typeof text === "string" ? text : "";
}

function shownList(list: ListValue, steps: Steps): string | CelError {
  const parts: string[] = [];
  for (const each of list) {
    const text = inside(each, steps);
    if (text instanceof CelError) return text;
    parts.push(text);
  }
  return `[${parts.join(", ")}]`;
}

function shownMap(map: MapValue, steps: Steps): string | CelError {
  const pairs: [string, string][] = [];
  for (const key of map.keys()) {
    const [name, value] = [inside(key, steps), inside(map.find(key) as Value, steps)];
    if (name instanceof CelError) return name;
    if (value instanceof CelError) return value;
    pairs.push([name, value]);
  }
  pairs.sort(([a], [b]) => compareStrings(a, b));
  return `{${pairs.map(([name, value]) => `${name}:${value}`).join(", ")}}`;
}

function inside(value: Value, steps: Steps): string | CelError {
  if (typeof value === "number" && Number.isFinite(value)) return value.toFixed(6);
  const text = shown(value, steps);
  if (text instanceof CelError) return text;
  if (typeof value === "string") return JSON.stringify(text);
  if (value instanceof Uint8Array) return `b${JSON.stringify(text)}`;
  if (typeof value === "number") return JSON.stringify(text);
  if (typeNameOf(value) === "google.protobuf.Timestamp")
    return `timestamp(${JSON.stringify(text)})`;
  if (typeNameOf(value) === "google.protobuf.Duration") return `duration(${JSON.stringify(text)})`;
  return value instanceof TypeValue ? `type(${text})` : text;
}
