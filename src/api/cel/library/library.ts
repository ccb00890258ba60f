// The form of a library: functions with their overloads, each with a signature and an implementation.
import type { Value } from "../runtime/value.ts";
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  optionalType,
  stringType,
  type Type,
  timestampType,
  uintType,
} from "../types.ts";

export interface Overload {
  readonly id: string;
  readonly isMember: boolean;
  /** The types of the arguments; of a member function the receiver is the first. */
  readonly args: readonly Type[];
  readonly result: Type;
  readonly run: Implementation;
}

export type Implementation = (...args: Value[]) => Value;

export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
}

/** A library as it is written down: for each function its overloads, `id: [signature, implementation]`. */
export type Library = Readonly<
  Record<string, Readonly<Record<string, readonly [signature: string, run: Implementation]>>>
>;

/** Puts libraries together; functions of the same name have the overloads of all. */
export function declare(
  libraries: readonly Library[],
  named: Readonly<Record<string, Type>> = {},
): ReadonlyMap<string, FunctionDeclaration> {
  const found = new Map<string, Overload[]>();
  for (const library of libraries) {
    for (const [name, overloads] of Object.entries(library)) {
      const list = found.get(name) ?? [];
      found.set(name, list);
      for (const [id, [signature, run]] of Object.entries(overloads)) {
        list.push({ id, run, ...parseSignature(signature, named) });
      }
    }
  }
  return new Map([...found].map(([name, overloads]) => [name, { name, overloads }]));
}

/** Parses a signature such as `string.(int, int) string`, whose receiver comes before the dot. */
function parseSignature(text: string, named: Readonly<Record<string, Type>>) {
  const [, receiver, args = "", result = ""] = /^(?:(.+)\.)?\((.*)\) (.+)$/.exec(text) ?? [];
  const types = splitTypes(args).map((each) => parseType(each, named));
  return {
    isMember: receiver !== undefined,
    args: receiver === undefined ? types : [parseType(receiver, named), ...types],
    result: parseType(result, named),
  };
}

const basic: Readonly<Record<string, Type>> = {
  int: intType,
  uint: uintType,
  double: doubleType,
  bool: boolType,
  string: stringType,
  bytes: bytesType,
  null: nullType,
  dyn: dynType,
  timestamp: timestampType,
  duration: durationType,
  A: { kind: "param", name: "A" },
  B: { kind: "param", name: "B" },
};

function parseType(text: string, named: Readonly<Record<string, Type>>): Type {
  const known = basic[text] ?? named[text];
  if (known !== undefined) return known;
  const [, head, inside = ""] = /^(\w+)\((.*)\)$/.exec(text) ?? [];
  const params = splitTypes(inside).map((each) => parseType(each, named));
  const [first, second] = params;
  if (head === "list" && first !== undefined) return listType(first);
  if (head === "optional" && first !== undefined) return optionalType(first);
  if (head === "type" && first !== undefined) return { kind: "type", of: first };
  if (head === "map" && first !== undefined && second !== undefined) return mapType(first, second);
  throw new Error(`Cannot declare a function: there is no type ${text}`);
}

/** Splits at commas that are not inside of parentheses. */
function splitTypes(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index < text.length; index++) {
    if (text[index] === "(") depth++;
    else if (text[index] === ")") depth--;
    else if (text[index] === "," && depth === 0) {
      parts.push(text.slice(start, index).trim());
      start = index + 1;
    }
  }
  const last = text.slice(start).trim();
  return last === "" ? parts : [...parts, last];
}
