// Formats tables as kubectl does: capitals on top, columns three blanks apart, no lines.

export interface Column<Row> {
  readonly header: string;
  /** The value of a cell; a missing or empty one prints as `<none>`. */
  value(row: Row): string | number | boolean | undefined;
  /** Whether the column is only shown by `--output wide`. */
  readonly wide?: boolean;
}

/** Formats the table, ending with a newline. */
export function formatTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  options: { readonly wide?: boolean } = {},
): string {
  const shown = columns.filter((column) => options.wide === true || column.wide !== true);
  const lines = [
    shown.map((column) => column.header.toUpperCase()),
    ...rows.map((row) => shown.map((column) => cellText(column.value(row)))),
  ];
  const widths = shown.map((_, index) =>
    Math.max(...lines.map((cells) => displayWidth(cells[index] ?? ""))),
  );
  const text = lines.map((cells) =>
    cells
      .map((cell, index) => cell + " ".repeat((widths[index] ?? 0) - displayWidth(cell)))
      .join("   ")
      .trimEnd(),
  );
  return `${text.join("\n")}\n`;
}

function cellText(value: string | number | boolean | undefined): string {
  const text = value === undefined ? "" : String(value);
  // Control characters, line breaks among them, become blanks, so that a cell stays on its line.
  return text === "" ? "<none>" : text.replace(/\p{Cc}+/gu, " ");
}

function displayWidth(text: string): number {
  return Array.from(text).length;
}
