import { UsageError } from "../../base/program/errors.ts";

export type Mapping = Readonly<Record<string, unknown>>;

export function isMapping(value: unknown): value is Mapping {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value at a path such as `networking.podSubnet`. */
export function fieldOf(document: Mapping | undefined, path: string): unknown {
  let value: unknown = document;
  for (const name of path.split(".")) value = isMapping(value) ? value[name] : undefined;
  return value;
}

/** The extra arguments: a mapping up to v1beta3, a list of names and values since. */
export function argumentsOf(
  document: Mapping | undefined,
  ...paths: readonly string[]
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const path of paths) {
    const value = fieldOf(document, path);
    if (value === undefined || value === null) continue;
    for (const [name, argument] of pairsOf(path, value)) found.set(name, String(argument));
  }
  return found;
}

function pairsOf(path: string, value: unknown): readonly (readonly [string, unknown])[] {
  if (isMapping(value)) return Object.entries(value);
  if (!Array.isArray(value)) {
    throw new UsageError(`Cannot use ${path}=${JSON.stringify(value)}: expected arguments`);
  }
  return value.map((each: unknown, index) => {
    if (isMapping(each) && typeof each["name"] === "string") return [each["name"], each["value"]];
    throw new UsageError(
      `Cannot use ${path}[${index}]=${JSON.stringify(each)}: expected a name and a value`,
    );
  });
}
