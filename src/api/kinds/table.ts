// Printed tables, defined as lists of columns, each with a function for its cells.
import { ageOf } from "./age.ts";
import type { ApiObject, TableColumn, TableDefinition } from "./kind.ts";

export interface Column<T> extends TableColumn {
  readonly cell: (object: T, now: Date) => unknown;
}

export function table<T extends ApiObject>(columns: readonly Column<T>[]): TableDefinition<T> {
  return {
    columns,
    rows: (object, now) => [columns.map(({ cell }) => cell(object, now))],
  };
}

export const nameColumn: Column<ApiObject> = {
  name: "Name",
  type: "string",
  format: "name",
  cell: ({ metadata }) => metadata?.name ?? "",
};

export const ageColumn: Column<ApiObject> = {
  name: "Age",
  type: "string",
  cell: ({ metadata }, now) => ageOf(metadata?.creationTimestamp, now),
};

/** The column of kinds that show the creation time instead of the age. */
export const createdColumn: Column<ApiObject> = {
  name: "Created At",
  type: "date",
  cell: ({ metadata }) => metadata?.creationTimestamp ?? "",
};

export function text<T>(
  name: string,
  cell: (object: T, now: Date) => string | undefined,
): Column<T> {
  return { name, type: "string", cell: (object, now) => cell(object, now) ?? "" };
}

export function integer<T>(name: string, cell: (object: T) => number | undefined): Column<T> {
  return { name, type: "integer", cell: (object) => cell(object) ?? 0 };
}

/** A column of numbers declared as text, as Kubernetes has some. */
export function count<T>(name: string, cell: (object: T) => number | undefined): Column<T> {
  return { ...integer(name, cell), type: "string" };
}

/** Marks a column as shown with `-o wide` only. */
export function wide<T>(column: Column<T>): Column<T> {
  return { ...column, priority: 1 };
}

/** Returns labels as `a=b,c=d`, sorted. */
export function labelsText(labels: Readonly<Record<string, string>> | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return pairs.toSorted().join(",") || "<none>";
}

/** Returns the first three values, and how many more there are. */
export function shortList(values: readonly string[], none: string): string {
  const shown = values.slice(0, 3).join(",");
  return values.length > 3 ? `${shown} + ${values.length - 3} more...` : shown || none;
}
