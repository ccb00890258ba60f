// Puts values into a configuration file. What else somebody wrote there, comments too, stays.

import { isMap, parseDocument } from "yaml";
import { UsageError } from "../../base/program/errors.ts";

export type ConfigValue =
  | string
  | number
  | boolean
  | readonly string[]
  | { readonly [key: string]: ConfigValue };
export type ConfigValues = Readonly<Record<string, ConfigValue>>;

/** Returns the text with these values; the very same text when it has them already. */
export function mergeConfig(path: string, text: string | undefined, values: ConfigValues): string {
  const document = parseDocument(text ?? "{}\n");
  const [error] = document.errors;
  if (error !== undefined) {
    throw new UsageError(`Cannot change ${path}: ${error.message.split("\n")[0]}`, {
      cause: error,
    });
  }
  if (text === undefined || document.contents === null) {
    const fresh = parseDocument(text === undefined ? head : text);
    fresh.contents = fresh.createNode(values) as typeof fresh.contents;
    return String(fresh);
  }
  if (!isMap(document.contents)) {
    throw new UsageError(`Cannot change ${path}: expected a mapping of keys to values`);
  }
  const present = document.toJS() as Record<string, unknown>;
  const changed = Object.entries(values).filter(
    ([key, value]) => JSON.stringify(asRead(present[key], value)) !== JSON.stringify(value),
  );
  if (changed.length === 0) return text;
  for (const [key, value] of changed) document.set(key, value);
  return String(document);
}

/** Reads the values of a configuration file; a text where a list is meant is split at commas. */
export function readConfigValues(text: string | undefined): Readonly<Record<string, unknown>> {
  const values = parseDocument(text ?? "").toJS() as unknown;
  return typeof values === "object" && values !== null ? (values as Record<string, unknown>) : {};
}

/** Returns a value of a configuration file as a list of texts. */
export function listIn(
  values: Readonly<Record<string, unknown>>,
  key: string,
): readonly string[] | undefined {
  const value = values[key];
  if (Array.isArray(value)) return value.map(String);
  return typeof value === "string" ? value.split(",") : undefined;
}

const head =
  "# Written by 'tandem install'. What else you set here stays; /usr/share/tandem/config has every option.\n";

function asRead(present: unknown, wanted: ConfigValue): unknown {
  return Array.isArray(wanted) && typeof present === "string" ? present.split(",") : present;
}
