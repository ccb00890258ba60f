// The paths that printer columns and selectable fields are given as: `.spec.ports[0].name`,
// `.status.conditions[?(@.type=="Ready")].status`, `.metadata.labels['example.com/a']`.
import { isObject } from "../../../base/json/value.ts";

export type JsonPath = readonly Step[];

type Step =
  | { readonly type: "field"; readonly name: string }
  | { readonly type: "index"; readonly index: number }
  | { readonly type: "all" }
  | { readonly type: "equal"; readonly path: JsonPath; readonly value: unknown };

const patterns = {
  field: /\.([A-Za-z_][\w-]*)/y,
  quoted: /\.?\[(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\]/y,
  index: /\.?\[(-?\d{1,9})\]/y,
  all: /\.?\[\*\]|\.\*/y,
  filter:
    /\.?\[\?\(\s*@((?:\.[\w-]+|\['[^']*'\])+)\s*==\s*('[^']*'|"[^"]*"|true|false|-?\d+)\s*\)\]/y,
};

/** Parses a path; `undefined` for paths that this server cannot follow. */
export function parseJsonPath(text: string): JsonPath | undefined {
  const steps: Step[] = [];
  let at = 0;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found !== null) at = pattern.lastIndex;
    return found;
  };
  while (at < text.length) {
    const step = readStep(match);
    if (step === undefined) return undefined;
    steps.push(step);
  }
  return steps.length === 0 ? undefined : steps;
}

/** Returns all values a path leads to. */
export function followJsonPath(path: JsonPath, object: unknown): unknown[] {
  let values: unknown[] = [object];
  for (const step of path) values = values.flatMap((value) => follow(step, value));
  return values;
}

/** Returns the names of a path that consists of fields only. */
export function plainFields(path: JsonPath | undefined): string[] | undefined {
  if (path === undefined) return undefined;
  const names = path.flatMap((step) => (step.type === "field" ? [step.name] : []));
  return names.length === path.length ? names : undefined;
}

function readStep(match: (pattern: RegExp) => RegExpExecArray | null): Step | undefined {
  const field = match(patterns.field);
  if (field !== null) return { type: "field", name: field[1] ?? "" };
  const quoted = match(patterns.quoted);
  if (quoted !== null) {
    const name = (quoted[1] ?? quoted[2] ?? "").replaceAll(/\\(.)/g, "$1");
    return { type: "field", name };
  }
  const index = match(patterns.index);
  if (index !== null) return { type: "index", index: Number(index[1]) };
  if (match(patterns.all) !== null) return { type: "all" };
  const filter = match(patterns.filter);
  const path = filter === null ? undefined : parseJsonPath(filter[1] ?? "");
  return path && { type: "equal", path, value: literal(filter?.[2] ?? "") };
}

function literal(text: string): unknown {
  if (text === "true" || text === "false") return text === "true";
  return /^['"]/.test(text) ? text.slice(1, -1) : Number(text);
}

function follow(step: Step, value: unknown): unknown[] {
  switch (step.type) {
    case "field":
      return isObject(value) && Object.hasOwn(value, step.name) ? [value[step.name]] : [];
    case "index": {
      const element = Array.isArray(value) ? (value.at(step.index) as unknown) : undefined;
      return element === undefined ? [] : [element];
    }
    case "all":
      return elementsOf(value);
    case "equal":
      return elementsOf(value).filter((each) =>
        followJsonPath(step.path, each).includes(step.value),
      );
  }
}

function elementsOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value) : [];
}
