// Reads the tables. One line per type at the margin, one indented line per field:
//
//   Name [kind] [atomic] [# description]     an object; `kind` adds apiVersion and kind
//   Name union                               its fields are alternatives; JSON shows only the value
//   Name = [type]                            a list that protobuf wraps in a message
//     field[!] number type [flags] [# …]     `!`: required; number `-`: JSON only
//     ... number Name                        fields of Name, inlined in JSON only
//
// A type is a scalar of the model, `Name`, `table.Name`, `[list]` or `{map}`; `*type` tells an
// explicit zero from absence. Flags: `map(key,…)`, `set`, `atomic` for server-side apply;
// `merge(key)`, `replace`, `retainKeys`, joined by `+`, for strategic merge patches. Facts about the
// values are flags too: `default(value)` is filled in (a field that is no pointer counts as absent when
// it is zero), `enum(a|b)` refuses other values, `known(a|b)` only documents them, `range(1,5)` and
// `min(0)` bound a number, `name(dnsLabel)` is a rule of kinds/names.ts, `longest(63)` bounds a text or
// a list, `present` wants the field, `immutable` keeps it, `unchecked` leaves what is below to others.

import { defined } from "../../base/json/defined.ts";
import type { Facts, Field, ListSemantics, PatchSemantics, Schema } from "./model.ts";

/** The types of one table, each parsed when it is first asked for. */
export interface Types {
  type(name: string): Schema | undefined;
  /** Whether a type is a kind, with apiVersion and kind. */
  isKind(name: string): boolean;
  names(): readonly string[];
}

export interface TableOptions {
  /** The prefix of the full names of the types. */
  readonly prefix: string;
  /** Finds types of other tables. */
  readonly foreign?: (table: string, name: string) => Schema;
}

export function openTable(text: string, options: TableOptions): Types {
  const blocks = splitTable(text);
  const schemas = new Map<string, Schema>();
  const type = (name: string): Schema | undefined => {
    const block = blocks.get(name);
    if (block === undefined) return undefined;
    const schema = schemas.get(name) ?? parseType(block, { name: fullName(name), resolve });
    schemas.set(name, schema);
    return schema;
  };
  const resolve: Resolve = (spelling) => {
    const [first = "", second] = spelling.split(".");
    const found = second === undefined ? type(first) : options.foreign?.(first, second);
    if (found === undefined) throw new Error(`Cannot read ${options.prefix}: no type ${spelling}`);
    return found;
  };
  const fullName = (name: string) => `${options.prefix}.${name}`;
  return {
    type,
    isKind: (name) => /^\S+ kind\b/.test(blocks.get(name) ?? ""),
    names: () => [...blocks.keys()],
  };
}

/** Finds a type by the way a table spells it: `Name` or `table.Name`. */
type Resolve = (spelling: string) => Schema;

/** Splits a table into blocks, by the name of the type they describe, unparsed. */
function splitTable(text: string): Map<string, string> {
  const blocks = new Map<string, string>();
  for (const block of text.trim().split("\n\n")) {
    blocks.set(block.slice(0, block.search(/\s|$/)), block);
  }
  return blocks;
}

/** Parses a type; its fields are parsed on first use, because types may contain themselves. */
function parseType(block: string, options: { name: string; resolve: Resolve }): Schema {
  const { name, resolve } = options;
  const [head = "", ...lines] = block.split("\n");
  const { words, description } = readWords(head);
  if (words[1] === "=") {
    return { ...parseValue(words[2] ?? "", resolve), wire: "wrapped" };
  }
  let fields: ReadonlyMap<string, Field> | undefined;
  return {
    ...(words.includes("union") ? { type: "any", wire: "union" } : { type: "object" }),
    name,
    ...defined({ description }),
    ...(words.includes("atomic") ? { atomic: true } : {}),
    get fields() {
      fields ??= parseFields(lines, { kind: words.includes("kind"), resolve });
      return fields;
    },
  };
}

function parseFields(
  lines: readonly string[],
  options: { kind: boolean; resolve: Resolve },
): ReadonlyMap<string, Field> {
  const fields = new Map<string, Field>();
  if (options.kind) {
    fields.set("apiVersion", { schema: text });
    fields.set("kind", { schema: text });
  }
  for (const line of lines) {
    const { words, description } = readWords(line);
    const [name = "", digits = "", spelling = "", ...flags] = words;
    const number = digits === "-" ? {} : { number: Number(digits) };
    if (name === "...") {
      for (const [inner, field] of options.resolve(spelling).fields ?? []) {
        fields.set(inner, { ...field, embedded: [Number(digits), ...(field.embedded ?? [])] });
      }
      continue;
    }
    const pointer = spelling.startsWith("*");
    const value = parseValue(pointer ? spelling.slice(1) : spelling, options.resolve);
    const required = name.endsWith("!");
    fields.set(required ? name.slice(0, -1) : name, {
      schema: refine(value, { flags, description }),
      ...(required ? { required } : {}),
      ...number,
      ...(pointer ? { pointer } : {}),
    });
  }
  return fields;
}

function parseValue(spelling: string, resolve: Resolve): Schema {
  const inner = spelling.slice(1, -1);
  if (spelling.startsWith("[")) return { type: "array", items: parseValue(inner, resolve) };
  if (spelling.startsWith("{")) return { type: "map", items: parseValue(inner, resolve) };
  return scalars.get(spelling) ?? resolve(spelling);
}

/** The type with the flags and the description of one field added; getters are not evaluated. */
function refine(
  schema: Schema,
  options: { flags: readonly string[]; description: string | undefined },
): Schema {
  const { flags, description } = options;
  if (flags.length === 0 && description === undefined) return schema;
  const refined = Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema)) as Schema;
  const said: Partial<Record<keyof Schema, unknown>> = {};
  if (description !== undefined) said.description = description;
  for (const flag of flags) {
    const [, word = "", argument] = /^([a-zA-Z+]+)(?:\((.*)\))?$/.exec(flag) ?? [];
    const fact = readFact(word, argument ?? "");
    if (fact !== undefined) {
      said.facts = { ...(said.facts as Facts | undefined), ...fact };
      continue;
    }
    if (word === "map" || word === "set" || (word === "atomic" && schema.type === "array")) {
      said.list = listSemantics(word, argument);
    } else if (word === "atomic") {
      said.atomic = true;
    } else if (word === "default") {
      said.default = defaultValue(schema, argument ?? "");
    } else {
      said.patch = patchSemantics(word, argument);
    }
  }
  return Object.assign(refined, said);
}

function readFact(word: string, argument: string): Facts | undefined {
  switch (word) {
    case "enum":
      return { values: argument.split("|"), closed: true };
    case "known":
      return { values: argument.split("|") };
    case "range": {
      const [least = 0, most = 0] = argument.split(",").map(Number);
      return { least, most };
    }
    case "min":
      return { least: Number(argument) };
    case "name":
      return { name: argument };
    case "longest":
      return { longest: Number(argument) };
    case "unchecked":
      return { unchecked: true };
    case "present":
      return { present: true };
    case "immutable":
      return { immutable: true };
    default:
      return undefined;
  }
}

function defaultValue({ type }: Schema, text: string): unknown {
  if (type === "string" || type === "quantity" || type === "bytes") return text;
  if (type === "intOrString") return /^\d+$/.test(text) ? Number(text) : text;
  return JSON.parse(text);
}

function listSemantics(type: ListSemantics["type"], keys = ""): ListSemantics {
  return type === "map" ? { type, keys: keys.split(",") } : { type };
}

function patchSemantics(words: string, mergeKey: string | undefined): PatchSemantics {
  const strategies = words.split("+") as PatchSemantics["strategies"][number][];
  return mergeKey === undefined ? { strategies } : { strategies, mergeKey };
}

function readWords(line: string): { words: string[]; description: string | undefined } {
  const [facts = "", description] = line.split(" # ", 2);
  return { words: facts.trim().split(/\s+/), description };
}

const text: Schema = { type: "string" };

const scalars = new Map<string, Schema>([
  ...(
    [
      "boolean",
      "int32",
      "int64",
      "double",
      "bytes",
      "time",
      "microTime",
      "intOrString",
      "quantity",
      "any",
    ] as const
  ).map((type): [string, Schema] => [type, { type }]),
  ["string", text],
]);
