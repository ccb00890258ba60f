// A report as text: one aligned table for each group.

import type { GroupReport, Report, Row } from "./runner.ts";

export function tableOf(report: Report): string {
  const { name, title, runs, machine } = report;
  const head = `${name}: ${title} (median of ${runs}; ${machine.cores} × ${machine.processor}, Node ${machine.node})`;
  if (report.unavailable !== undefined) return `${head}\n\nnot available: ${report.unavailable}\n`;
  return `${[head, ...report.groups.map(groupTable)].join("\n\n")}\n`;
}

/** A value in a size that reads well: "4.71 M/s", "212 ns", "1.5 MiB". */
export function readable(value: number, unit: string): string {
  if (unit === "ms") return scaled(value, durations);
  if (unit === "bytes") return scaled(value, sizes);
  if (unit.endsWith("/s")) return scaled(value, multiples(unit === "op/s" ? "/s" : ` ${unit}`));
  return `${digits(value)} ${unit}`;
}

function groupTable(group: GroupReport): string {
  const header = ["", "", "median", "min", "max", "each", comparisonTitle(group.baseline)];
  const rows = group.rows.map((row) => cellsOf(row, group.baseline));
  const missing = group.missing.map((one) => [
    one.case,
    `${one.failed ? "failed" : "not available"}: ${one.reason}`,
  ]);
  const lines = [...(rows.length > 0 ? align([header, ...rows]) : []), ...align(missing)];
  return [group.name, ...lines.map((line) => `  ${line}`)].join("\n");
}

function cellsOf(row: Row, baseline: string | undefined): string[] {
  const [middle, low, high] = [row.median, row.min, row.max].map((n) => readable(n, row.unit));
  const each = row.unit === "op/s" ? readable(1000 / row.median, "ms") : "";
  return [
    row.case,
    row.figure,
    middle ?? "",
    low ?? "",
    high ?? "",
    each,
    comparison(row, baseline),
  ];
}

function comparisonTitle(baseline: string | undefined): string {
  return baseline === undefined ? "" : `against ${baseline}`;
}

function comparison(row: Row, baseline: string | undefined): string {
  if (row.case === baseline) return "baseline";
  if (row.ratio === undefined) return "";
  const times = row.better === "higher" ? row.ratio : 1 / row.ratio;
  return times >= 1 ? `${digits(times)} × better` : `${digits(1 / times)} × worse`;
}

type Scale = readonly (readonly [factor: number, unit: string])[];

const durations: Scale = [
  [1000, "s"],
  [1, "ms"],
  [1e-3, "µs"],
  [1e-6, "ns"],
];

const sizes: Scale = [
  [2 ** 30, "GiB"],
  [2 ** 20, "MiB"],
  [2 ** 10, "KiB"],
  [1, "B"],
];

function multiples(unit: string): Scale {
  return [
    [1e6, `M${unit}`],
    [1e3, `k${unit}`],
    [1, unit.trim()],
  ];
}

function scaled(value: number, scale: Scale): string {
  const [factor, unit] = scale.find(([least]) => Math.abs(value) >= least) ??
    scale.at(-1) ?? [1, ""];
  return `${digits(value / factor)} ${unit}`;
}

function digits(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

/** Text to the left, figures to the right. */
function align(rows: readonly string[][]): string[] {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const pad = (cell: string, column: number) =>
    column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return rows.map((row) => row.map(pad).join("  ").trimEnd());
}
