// Generates TypeScript interfaces from the tables. The types of kinds describe what a server returns: objects
// that can be read have apiVersion, kind, a name (and a namespace) and a spec; a status may be missing. Below
// that, required means required.

import type { Field, Schema, SchemaType } from "./model.ts";
import { allTypes, type TypeEntry } from "./registry.ts";
import { resourceOf } from "./resources.ts";
import { type Table, tables } from "./tables.ts";

/** The generated files, by name. */
export function renderTypes(): Map<string, string> {
  const files = new Map<string, string>();
  const types = allTypes().filter(({ schema }) => !onlyInlined.has(schema.name ?? ""));
  for (const table of tables) {
    files.set(
      `${table.alias}.ts`,
      renderTable(
        table,
        types.filter((type) => type.table === table),
      ),
    );
  }
  files.set("kinds.ts", renderKinds(types.filter(({ isKind }) => isKind)));
  return files;
}

/** The types that are only inlined in others and never used by name. */
const onlyInlined = new Set([
  "io.k8s.api.admissionregistration.v1.Rule",
  "io.k8s.api.core.v1.EphemeralContainerCommon",
  "io.k8s.api.core.v1.PersistentVolumeSource",
  "io.k8s.api.core.v1.ProbeHandler",
  "io.k8s.api.core.v1.VolumeSource",
  "io.k8s.api.networking.v1.IngressRuleValue",
  "io.k8s.api.resource.v1.DeviceConfiguration",
]);

type Imports = Map<string, Set<string>>;

const header = "// Made from the tables of src/api/schema by `make types`: change those.\n\n";

function renderTable(table: Table, types: readonly TypeEntry[]): string {
  const imports = new Map<string, Set<string>>();
  const bodies = types
    .filter(({ schema }) => schema.type === "object" || schema.wire === "union")
    .map((type) => renderInterface(type, imports));
  if (table.alias === "meta") bodies.push(...metaOfKinds);
  return header + renderImports(imports) + bodies.join("\n");
}

const metaOfKinds = [
  "/** The metadata of a stored object. */\nexport interface NamedMeta extends ObjectMeta {\n  name: string;\n}\n",
  "/** The metadata of a stored object that lives in a namespace. */\nexport interface NamespacedMeta extends NamedMeta {\n  namespace: string;\n}\n",
];

function renderInterface(type: TypeEntry, imports: Imports): string {
  const { schema, name, table } = type;
  if (schema.wire === "union") return renderUnion(type, imports);
  const lines = [...(schema.fields ?? [])].map(([key, field]) => {
    const said = promise(type, key);
    const optional = !(said.required ?? field.required === true);
    const text = said.type ?? spell(field.schema, { table, imports });
    if (said.type?.endsWith("Meta")) addImport(imports, { alias: "meta", name: said.type, table });
    const head = `  ${quote(key)}${optional ? "?" : ""}:`;
    return `${comment(field, "  ")}${head}${wrapped(text, head.length)};\n`;
  });
  const opening = `${docComment(schema.description, "")}export interface ${name} {`;
  return lines.length === 0 ? `${opening}}\n` : `${opening}\n${lines.join("")}}\n`;
}

function renderUnion({ schema, name, table }: TypeEntry, imports: Imports): string {
  const members = [...(schema.fields?.values() ?? [])].map((field) =>
    spell(field.schema, { table, imports }),
  );
  return `export type ${name} = ${members.join(" | ")};\n`;
}

/** The guarantees of a kind about a field beyond the tables. */
function promise(
  { table, name, schema, isKind }: TypeEntry,
  key: string,
): { type?: string; required?: boolean } {
  if (!isKind) return {};
  const item = schema.fields?.get("items")?.schema.items?.name;
  const gvk = { group: table.group, version: table.version };
  const resource = resourceOf({ ...gvk, kind: item?.split(".").at(-1) ?? name });
  const served = resource?.verbs.includes("get") === true;
  switch (key) {
    case "apiVersion":
      return table.alias === "meta" ? {} : { type: `"${apiVersion(table)}"`, required: served };
    case "kind":
      return { type: `"${name}"`, required: served };
    case "metadata":
      if (item !== undefined) return { required: true };
      if (!served) return {};
      return { type: resource.namespaced ? "NamespacedMeta" : "NamedMeta", required: true };
    case "spec":
      return { required: true };
    default:
      return {};
  }
}

function spell(schema: Schema, file: { table: Table; imports: Imports }): string {
  if (schema.name !== undefined) {
    const end = schema.name.lastIndexOf(".");
    const name = schema.name.slice(end + 1);
    const alias = tables.find((each) => each.prefix === schema.name?.slice(0, end))?.alias ?? "";
    addImport(file.imports, { alias, name, table: file.table });
    return name;
  }
  const { values } = schema.facts ?? {};
  if (schema.items !== undefined) {
    const item = values === undefined ? spell(schema.items, file) : unionOf(values);
    if (schema.type === "map") return `Record<string, ${item}>`;
    return item.includes("|") ? `(${item})[]` : `${item}[]`;
  }
  if (values !== undefined) return unionOf(values);
  return scalars[schema.type] ?? "string";
}

/** Wraps a long union to a line for each of its values, as the formatter does. */
function wrapped(text: string, indent: number): string {
  if (indent + text.length + 2 <= 100 || !text.includes(" | ")) return ` ${text}`;
  const isList = text.endsWith(")[]");
  const lines = `\n    | ${(isList ? text.slice(1, -3) : text).replaceAll(" | ", "\n    | ")}`;
  return isList ? ` (${lines}\n  )[]` : lines;
}

function unionOf(values: readonly string[]): string {
  return values.map((value) => JSON.stringify(value)).join(" | ");
}

/** The scalars whose JSON form is no string. */
const scalars: Readonly<Partial<Record<SchemaType, string>>> = {
  any: "unknown",
  boolean: "boolean",
  int32: "number",
  int64: "number",
  double: "number",
  intOrString: "number | string",
};

function renderKinds(kinds: readonly TypeEntry[]): string {
  const used = [...new Set(kinds.map(({ table }) => table))];
  const imports = used
    .map(({ alias }) => `import type * as ${identifier(alias)} from "./${alias}.ts";\n`)
    .toSorted();
  const lines = kinds.map(
    ({ table, name }) => `  "${apiVersion(table)}/${name}": ${identifier(table.alias)}.${name};\n`,
  );
  const doc = docComment("Every kind, by its apiVersion and kind.", "");
  return `${header}${imports.join("")}\n${doc}export interface Kinds {\n${lines.join("")}}\n`;
}

function identifier(alias: string): string {
  return alias.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

function apiVersion({ group, version }: Table): string {
  return group === "" ? version : `${group}/${version}`;
}

function addImport(
  imports: Imports,
  { alias, name, table }: { alias: string; name: string; table: Table },
): void {
  if (alias !== table.alias) imports.set(alias, (imports.get(alias) ?? new Set()).add(name));
}

/** Renders imports, sorted and wrapped the way the formatter does it. */
function renderImports(imports: Imports): string {
  const lines = [...imports]
    .toSorted(([a], [b]) => compareNaturally(a, b))
    .map(([alias, names]) => {
      const sorted = [...names].toSorted(compareNaturally);
      const line = `import type { ${sorted.join(", ")} } from "./${alias}.ts";\n`;
      if (line.length <= 101) return line;
      return `import type {\n${sorted.map((name) => `  ${name},\n`).join("")}} from "./${alias}.ts";\n`;
    });
  return lines.length === 0 ? "" : `${lines.join("")}\n`;
}

function compareNaturally(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}

function comment(field: Field, indent: string): string {
  return field.schema.name === undefined ? docComment(field.schema.description, indent) : "";
}

function docComment(text: string | undefined, indent: string): string {
  return text === undefined ? "" : `${indent}/** ${text} */\n`;
}

function quote(key: string): string {
  return /^[a-zA-Z_$][\w$]*$/.test(key) ? key : `"${key}"`;
}
