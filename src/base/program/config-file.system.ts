// Reads a configuration file into texts by dotted key, which are then parsed like flags.

import { readFile } from "node:fs/promises";
import { messageOf, UsageError } from "./errors.ts";
import type { NamedOption } from "./options.ts";
import { nearest } from "./suggest.ts";

/** Translates another configuration format into our keys; undefined when the documents are not of it. */
export type ForeignConfig = (documents: readonly unknown[]) => object | undefined;

/** Reads YAML or JSON into the texts of each option, by its property; an unknown key is refused. */
export async function readConfigFile(
  path: string,
  options: readonly NamedOption[],
  foreign: ForeignConfig = () => undefined,
): Promise<Map<string, readonly string[]>> {
  const byKey = new Map(
    options.flatMap((named) => (named.key === undefined ? [] : [[named.key, named] as const])),
  );
  const texts = new Map<string, readonly string[]>();
  const unknown: string[] = [];
  const documents = await parseFile(path);
  const content = foreign(documents) ?? onlyOne(path, documents);
  for (const [key, value] of leaves(content, byKey)) {
    const named = byKey.get(key);
    if (named === undefined) unknown.push(key);
    // A key without a value is as if it was not given.
    else if (value !== null) texts.set(named.property, toTexts({ path, named, value }));
  }
  if (unknown.length > 0) throw unknownKeys(path, unknown, byKey.keys());
  return texts;
}

async function parseFile(path: string): Promise<readonly unknown[]> {
  try {
    const content = await readFile(path, "utf8");
    if (path.endsWith(".json")) return [JSON.parse(content) as unknown];
    const { parseAllDocuments } = await import("yaml");
    return [...parseAllDocuments(content)].map((document) => {
      const [error] = document.errors;
      if (error !== undefined) throw error;
      return document.toJS() as unknown;
    });
  } catch (cause) {
    throw new UsageError(`Cannot read --config=${path}: ${messageOf(cause).trim()}`, { cause });
  }
}

function onlyOne(path: string, documents: readonly unknown[]): unknown {
  if (documents.length <= 1) return documents[0];
  throw new UsageError(`Cannot use ${path}: expected one document, not ${documents.length}`);
}

function* leaves(
  value: unknown,
  known: ReadonlyMap<string, unknown>,
  key = "",
): Generator<[string, unknown]> {
  if (value === undefined || (value === null && key === "")) return;
  if (known.has(key) || !isMapping(value)) {
    yield [key, value];
    return;
  }
  for (const [name, inner] of Object.entries(value)) {
    yield* leaves(inner, known, key === "" ? name : `${key}.${name}`);
  }
}

function toTexts(found: { path: string; named: NamedOption; value: unknown }): string[] {
  const { path, named, value } = found;
  const isList = Array.isArray(value);
  if (isList && !named.option.type.isList) throw badShape(found, "expected one value, not a list");
  return (isList ? (value as unknown[]) : [value]).map((each) => {
    if (typeof each === "string") return each;
    if (typeof each === "number" || typeof each === "boolean") return String(each);
    throw badShape(
      { path, named, value: each },
      named.option.type.isList ? "expected texts" : "expected a text",
    );
  });
}

function badShape(
  found: { path: string; named: NamedOption; value: unknown },
  expected: string,
): UsageError {
  return new UsageError(
    `Cannot use ${found.named.key}=${JSON.stringify(found.value)} in ${found.path}: ${expected}`,
  );
}

function unknownKeys(path: string, unknown: string[], known: Iterable<string>): UsageError {
  if (unknown.length === 1 && unknown[0] === "") {
    return new UsageError(`Cannot use ${path}: expected a mapping of keys to values`);
  }
  const meant = nearest(unknown[0] ?? "", known);
  return new UsageError(
    `Cannot use ${unknown.join(", ")} in ${path}: there is no such key`,
    meant === undefined ? {} : { hint: `Did you mean ${meant}?` },
  );
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
