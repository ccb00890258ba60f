// Printer columns: what `kubectl get` shows of custom resources.

import { ageOf } from "../../../api/kinds/age.ts";
import type { TableColumn, TableDefinition } from "../../../api/kinds/kind.ts";
import { ageColumn, nameColumn } from "../../../api/kinds/table.ts";
import type { CustomResourceColumnDefinition } from "../../../api/types/apiextensions.ts";
import { defined } from "../../../base/json/defined.ts";
import { followJsonPath, parseJsonPath } from "./json-path.ts";

const columnTypes = ["integer", "number", "string", "boolean", "date"] as const;

type ColumnType = (typeof columnTypes)[number];

export function printerTable(
  columns: readonly CustomResourceColumnDefinition[] = [],
): TableDefinition {
  if (columns.length === 0) {
    return {
      columns: [nameColumn, ageColumn],
      rows: (object, now) => [[nameColumn.cell(object, now), ageColumn.cell(object, now)]],
    };
  }
  const readers = columns.map(({ jsonPath, type }) => {
    const path = parseJsonPath(jsonPath) ?? [];
    return (object: object, now: Date) => cell(followJsonPath(path, object), type, now);
  });
  return {
    columns: [nameColumn, ...columns.map(columnOf)],
    rows: (object, now) => [
      [nameColumn.cell(object, now), ...readers.map((read) => read(object, now))],
    ],
  };
}

function columnOf(column: CustomResourceColumnDefinition): TableColumn {
  const { name, type, priority = 0, description } = column;
  return {
    name,
    type: columnTypes.find((each) => each === type) ?? "string",
    priority: priority > 0 ? 1 : 0,
    ...defined({ description }),
  };
}

/** Formats a cell; values that are not of the column's type are shown as nothing. */
function cell(values: readonly unknown[], type: string, now: Date): unknown {
  const [first] = values;
  if (first === undefined || first === null) return null;
  return cells[type as ColumnType]?.(first, { values, now }) ?? null;
}

type Cell = (first: unknown, all: { values: readonly unknown[]; now: Date }) => unknown;

const cells: Readonly<Record<ColumnType, Cell>> = {
  integer: (value) => (typeof value === "number" ? Math.trunc(value) : wide(value)),
  number: (value) => (typeof value === "number" ? value : wide(value)),
  boolean: (value) => (typeof value === "boolean" ? value : undefined),
  date: (value, { now }) => (typeof value === "string" ? ageOf(value, now) : undefined),
  string: (_value, { values }) => values.map(asText).join(" "),
};

function wide(value: unknown): bigint | undefined {
  return typeof value === "bigint" ? value : undefined;
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
