// A path element as text, in the form that managedFields use:
//   f:replicas                  the field of an object or the key of a map
//   k:{"name":"web"}            the element of a list with these key fields
//   v:"finalizer.example.com"   the element of a set with this value
//   i:0                         the element at this index

import { readJson } from "../../base/json/read-json.ts";
import { compareText, isObject } from "../../base/json/value.ts";

export type Element = string;

export function fieldElement(name: string): Element {
  return `f:${name}`;
}

export function keyElement(keys: Readonly<Record<string, unknown>>): Element {
  const names = Object.keys(keys).toSorted(compareText);
  return `k:{${names.map((name) => `${JSON.stringify(name)}:${toText(keys[name])}`).join(",")}}`;
}

export function valueElement(value: unknown): Element {
  return `v:${toText(value)}`;
}

/** The field an element names, or undefined when it stands for an element of a list. */
export function fieldName(element: Element): string | undefined {
  return element.startsWith("f:") ? element.slice(2) : undefined;
}

/** Parses an element to its canonical spelling; undefined for kinds that are not known (yet). */
export function readElement(text: string): Element | undefined {
  switch (text.slice(0, 2)) {
    case "f:":
      return text;
    case "k:": {
      const keys: unknown = readJson(text.slice(2));
      if (!isObject(keys)) throw new SyntaxError(`Cannot read ${text}: its keys are no object`);
      return keyElement(keys);
    }
    case "v:":
      return valueElement(readJson(text.slice(2)));
    case "i:":
      if (!/^i:\d+$/.test(text)) throw new SyntaxError(`Cannot read ${text}: it is no index`);
      return text;
    default:
      if (text[1] !== ":") throw new SyntaxError(`Cannot read ${text}: it has no colon`);
      return undefined;
  }
}

/** Compares elements by the order in which they are written. */
export function compareElements(left: Element, right: Element): number {
  const [kind, other] = [left.charAt(0), right.charAt(0)];
  if (kind !== other) return kinds.indexOf(kind) - kinds.indexOf(other);
  switch (kind) {
    case "k":
      return compareKeys(parsed(left), parsed(right));
    case "v":
      return compareValues(parsed(left), parsed(right));
    case "i":
      return Number(left.slice(2)) - Number(right.slice(2));
    default:
      return compareText(left, right);
  }
}

/** The element as conflicts show it: `.spec`, `[name="web"]`, `[="value"]`, `[0]`. */
export function describeElement(element: Element): string {
  const rest = element.slice(2);
  switch (element.charAt(0)) {
    case "k":
      return `[${Object.entries(parsed(element) as object)
        .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
        .join(",")}]`;
    case "v":
      return `[=${JSON.stringify(parsed(element))}]`;
    case "i":
      return `[${rest}]`;
    default:
      return `.${rest}`;
  }
}

const kinds = "fkvi";

function parsed(element: Element): unknown {
  return readJson(element.slice(2));
}

function compareKeys(left: unknown, right: unknown): number {
  const lefts = Object.entries(left as object);
  const rights = Object.entries(right as object);
  for (const [index, [name, value]] of lefts.entries()) {
    const other = rights[index];
    if (other === undefined) return 1;
    const order = compareText(name, other[0]) || compareValues(value, other[1]);
    if (order !== 0) return order;
  }
  return lefts.length - rights.length;
}

function compareValues(left: unknown, right: unknown): number {
  const rank = rankOf(left) - rankOf(right);
  if (rank !== 0) return rank;
  if (typeof left === "string") return compareText(left, String(right));
  if (typeof left === "bigint" || typeof right === "bigint") {
    return (left as bigint) < (right as bigint) ? -1 : left === right ? 0 : 1;
  }
  return Number(left) - Number(right);
}

const ranks = ["number", "string", "boolean"];

function rankOf(value: unknown): number {
  const rank = ranks.indexOf(typeof value === "bigint" ? "number" : typeof value);
  return rank === -1 ? ranks.length : rank;
}

/** Formats JSON as Go does: `<`, `>` and `&` are escaped, which is part of an element's identity. */
function toText(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
