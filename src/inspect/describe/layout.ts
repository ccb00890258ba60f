// Lays out text in columns as kubectl's descriptions do: a tab ends a cell, and adjacent lines that both have
// a cell in a column make it equally wide.

const padding = 2;

/** Lays out lines; the text ends with a newline. */
export function layOut(lines: readonly string[]): string {
  const cells = lines.map((line) => line.split("\t"));
  widen(cells, { from: 0, to: cells.length, column: 0 });
  return `${cells.map((line) => line.join("").trimEnd()).join("\n")}\n`;
}

/** Returns the lines of a field: the first value stands beside the title, the others below it. */
export function field(title: string, values: readonly string[] | string | undefined): string[] {
  const list = typeof values === "string" ? [values] : (values ?? []);
  const [first = "<none>", ...others] = list;
  return [`${title}:\t${first}`, ...others.map((value) => `\t${value}`)];
}

/** Returns `key=value` pairs, sorted. */
export function pairs(map: Readonly<Record<string, string>> | undefined, between = "="): string[] {
  const entries = Object.entries(map ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, value]) => `${key}${between}${value}`);
}

export function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}

/** Returns a table with a line of dashes under the titles. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const dashes = titles.map((title) => "-".repeat(title.length));
  return [titles, dashes, ...rows].map((row) => row.join("\t"));
}

/** Formats a time as kubectl does: `Thu, 01 Jan 2026 00:00:00 +0000`. */
export function longTime(timestamp: string | undefined): string {
  const time = Date.parse(timestamp ?? "");
  if (Number.isNaN(time)) return "<unset>";
  return new Date(time).toUTCString().replace("GMT", "+0000");
}

function widen(
  cells: string[][],
  { from, to, column }: { from: number; to: number; column: number },
): void {
  for (let start = from; start < to; start++) {
    let end = start;
    while (end < to && hasColumn(cells[end], column)) end++;
    if (end === start) continue;
    const block = cells.slice(start, end);
    const width = Math.max(...block.map((line) => (line[column] ?? "").length)) + padding;
    for (const line of block) line[column] = (line[column] ?? "").padEnd(width);
    widen(cells, { from: start, to: end, column: column + 1 });
    start = end - 1;
  }
}

/** Whether the line has a cell in this column that a tab ends; the last cell of a line has none. */
function hasColumn(line: readonly string[] | undefined, column: number): boolean {
  return line !== undefined && column < line.length - 1;
}
