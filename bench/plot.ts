// A report as a picture: how many times better or worse than the baseline each figure is, on a
// logarithmic axis, with the spread of the runs.

import type { GroupReport, Report, Row } from "./runner.ts";
import { readable } from "./table.ts";

interface Mark {
  readonly label: string;
  readonly value: string;
  /** Times better than the baseline: of the median, and of the worst and the best run. */
  readonly times: number;
  readonly worst: number;
  readonly best: number;
}

interface Axis {
  /** Where the labels end, and the plot begins. */
  readonly left: number;
  readonly ticks: readonly number[];
  readonly x: (times: number) => number;
}

/** About as wide as a letter is. */
const letterWidth = 6.6;
const plotWidth = 420;
const valueWidth = 110;
const rowHeight = 20;
const headHeight = 64;
const footHeight = 34;
const steps = [1, 2, 5];

/** Undefined when nothing was compared. */
export function plotOf(report: Report): string | undefined {
  const groups = report.groups.flatMap((group) => {
    const marks = marksOf(group);
    return marks.length === 0 ? [] : [{ title: groupTitle(group), marks }];
  });
  if (groups.length === 0) return undefined;
  const axis = axisFor(groups.flatMap(({ marks }) => marks));
  const width = Math.ceil(axis.left + plotWidth + valueWidth);
  const lines: string[] = [];
  let y = headHeight;
  for (const { title, marks } of groups) {
    lines.push(text({ x: 16, y: y + 14, kind: "group" }, title));
    y += rowHeight;
    for (const mark of marks) {
      lines.push(...drawMark(mark, axis, y));
      y += rowHeight;
    }
    y += 6;
  }
  const height = y + footHeight;
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    style,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    text({ x: 16, y: 24, kind: "title" }, `${report.name}: ${report.title}`),
    text({ x: 16, y: 42, kind: "quiet" }, subtitle(report)),
    ...drawAxis(axis, y),
    ...lines,
    "</svg>",
  ].join("\n")}\n`;
}

const style =
  "<style>text{fill:#222}.title{font-size:15px;font-weight:bold}.group{font-weight:bold}" +
  ".quiet,.tick{fill:#666}.tick{text-anchor:middle}.label{text-anchor:end}</style>";

function marksOf({ rows, baseline }: GroupReport): Mark[] {
  return rows.flatMap((row) => {
    if (row.ratio === undefined || row.case === baseline) return [];
    const base = row.median / row.ratio;
    const times = (value: number): number =>
      row.better === "higher" ? value / base : base / value;
    const ends = [times(row.min), times(row.max)];
    const mark = {
      label: `${row.case} · ${row.figure}`,
      value: described(row, times(row.median)),
      times: times(row.median),
      worst: Math.min(...ends),
      best: Math.max(...ends),
    };
    return [mark.times, mark.worst, mark.best].every((one) => one > 0 && Number.isFinite(one))
      ? [mark]
      : [];
  });
}

function described(row: Row, times: number): string {
  const rounded = times >= 10 ? times.toFixed(0) : times.toFixed(2);
  return `${rounded} ×  (${readable(row.median, row.unit)})`;
}

function groupTitle({ name, baseline }: GroupReport): string {
  return `${name}, against ${baseline ?? ""}`;
}

function subtitle({ runs, date, machine }: Report): string {
  const when = date.slice(0, 10);
  return `to the right: better. Median and spread of ${runs}; ${machine.cores} × ${machine.processor}, Node ${machine.node}, ${when}`;
}

/** From the largest step below all marks to the smallest above. */
function axisFor(marks: readonly Mark[]): Axis {
  const low = Math.min(1, ...marks.map(({ worst }) => worst));
  const high = Math.max(1, ...marks.map(({ best }) => best));
  const decades = range(Math.floor(Math.log10(low)) - 1, Math.ceil(Math.log10(high)) + 1);
  const all = decades.flatMap((decade) => steps.map((step) => step * 10 ** decade));
  const first = all.findLastIndex((tick) => tick <= low * 1.0001);
  const last = all.findIndex((tick) => tick >= high * 0.9999);
  const spanned = all.slice(first, Math.max(last, first + 1) + 1);
  const from = Math.log10(spanned[0] ?? 0.5);
  const to = Math.log10(spanned.at(-1) ?? 2);
  const left = 26 + letterWidth * Math.max(46, ...marks.map(({ label }) => label.length));
  const ticks = spanned.length > 12 ? spanned.filter((tick) => isDecade(tick)) : spanned;
  return {
    left,
    ticks,
    x: (times) => left + ((Math.log10(times) - from) / (to - from)) * plotWidth,
  };
}

function isDecade(tick: number): boolean {
  return Math.abs(Math.log10(tick) - Math.round(Math.log10(tick))) < 1e-9;
}

function drawAxis({ ticks, x }: Axis, bottom: number): string[] {
  return ticks.flatMap((tick) => {
    const at = x(tick).toFixed(1);
    const colour = isOne(tick) ? "#222" : "#ddd";
    return [
      `<line x1="${at}" y1="${headHeight}" x2="${at}" y2="${bottom}" stroke="${colour}"/>`,
      text({ x: Number(at), y: bottom + 16, kind: "tick" }, `${Number(tick.toPrecision(3))} ×`),
    ];
  });
}

function isOne(tick: number): boolean {
  return Math.abs(tick - 1) < 1e-9;
}

function drawMark(mark: Mark, { left, x }: Axis, top: number): string[] {
  const middle = top + rowHeight / 2;
  const [one, at, worst, best] = [1, mark.times, mark.worst, mark.best].map((times) => x(times));
  const [base = 0, point = 0, low = 0, high = 0] = [one, at, worst, best];
  const colour = mark.times >= 1 ? "#2a7f4f" : "#c4622d";
  const [from, to] = base < point ? [base, point] : [point, base];
  const bar = { y: (middle - 5).toFixed(1), width: (to - from).toFixed(1) };
  return [
    text({ x: left - 10, y: middle + 4, kind: "label" }, mark.label),
    `<rect x="${from.toFixed(1)}" y="${bar.y}" width="${bar.width}" height="10" fill="${colour}" opacity="0.35"/>`,
    `<line x1="${low.toFixed(1)}" y1="${middle}" x2="${high.toFixed(1)}" y2="${middle}" stroke="${colour}"/>`,
    `<circle cx="${point.toFixed(1)}" cy="${middle}" r="4" fill="${colour}"/>`,
    text({ x: Math.max(high, point, base) + 8, y: middle + 4, kind: "quiet" }, mark.value),
  ];
}

function text({ x, y, kind }: { x: number; y: number; kind: string }, content: string): string {
  return `<text x="${x.toFixed(1)}" y="${y}" class="${kind}">${escape(content)}</text>`;
}

function escape(content: string): string {
  return content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
