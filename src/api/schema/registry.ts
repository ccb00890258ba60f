// Finds types by name or kind. A table is split when one of its types is first asked for, and a type is
// parsed when its fields are: a server that starts parses only what it serves first.

import type { Schema } from "./model.ts";
import { openTable, type Types } from "./parse.ts";
import { type Table, tables } from "./tables.ts";

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The type of a kind, lists and options included. Kinds of meta/v1 exist in every group. */
export function schemaOf({ group, version, kind }: GroupVersionKind): Schema | undefined {
  const table = tables.find((each) => each.group === group && each.version === version);
  return (
    (table && read(table).type(kind)) ??
    (read(meta).isKind(kind) ? read(meta).type(kind) : undefined)
  );
}

/** A type by its full name, e.g. `io.k8s.api.core.v1.PodSpec`. */
export function typeNamed(name: string): Schema | undefined {
  const end = name.lastIndexOf(".");
  const table = tables.find((each) => each.prefix === name.slice(0, end));
  return table && read(table).type(name.slice(end + 1));
}

export interface TypeEntry {
  readonly table: Table;
  /** The name inside its table. */
  readonly name: string;
  readonly schema: Schema;
  /** Whether the type is a kind, with apiVersion and kind. */
  readonly isKind: boolean;
}

/** Every type of every table, in table order. */
export function allTypes(): readonly TypeEntry[] {
  return tables.flatMap((table) =>
    read(table)
      .names()
      .map((name) => ({
        table,
        name,
        schema: known(table, name),
        isKind: read(table).isKind(name),
      })),
  );
}

const meta = tableCalled("meta");
const opened = new Map<Table, Types>();

function read(table: Table): Types {
  const already = opened.get(table);
  if (already !== undefined) return already;
  const types = openTable(table.text, {
    prefix: table.prefix,
    foreign: (alias, name) => known(tableCalled(alias), name),
  });
  opened.set(table, types);
  return types;
}

function known(table: Table, name: string): Schema {
  const schema = read(table).type(name);
  if (schema === undefined) throw new Error(`Cannot read table ${table.alias}: no type ${name}`);
  return schema;
}

function tableCalled(alias: string): Table {
  const table = tables.find((each) => each.alias === alias);
  if (table === undefined) throw new Error(`Cannot read the tables: none is called ${alias}`);
  return table;
}
