// Runs of the connectivity check, and the grid of the last one with the history of each of its cells.

import type { Report, Result } from "../../check/check.ts";
import type { LampState } from "./lamps.ts";

/** A run of the check as pages are told of it. */
export interface CheckRun {
  /** The number of the run, of which the last is the highest. */
  readonly name: string;
  readonly number: number;
  readonly startedAt: string;
  readonly endedAt?: string;
  /** What it does at present. */
  readonly step?: string;
  /** Why there is no report. */
  readonly error?: string;
  readonly report?: Report;
}

export interface CheckCell {
  readonly verdict: Result["verdict"] | "untried";
  readonly detail: string;
  /** The verdicts of this cell in all runs with a report, the oldest first. */
  readonly history: readonly { readonly at: string; readonly verdict: Verdict }[];
}

type Verdict = CheckCell["verdict"];

export interface CheckLine {
  readonly from: string;
  readonly to: string;
  /** A cell for each column of the grid. */
  readonly cells: readonly CheckCell[];
}

export interface CheckGrid {
  readonly columns: readonly string[];
  readonly lines: readonly CheckLine[];
}

const protocols = ["http", "udp"] as const;

/** Returns the grid of the last run that has a report. */
export function gridOf(runs: readonly CheckRun[]): CheckGrid {
  const reported = runs
    .toSorted((a, b) => a.number - b.number)
    .flatMap(({ report, startedAt }) => (report === undefined ? [] : [{ report, at: startedAt }]));
  const last = reported.at(-1)?.report;
  if (last === undefined) return { columns: [], lines: [] };
  const tables = reported.map(({ report, at }) => ({ at, results: byCell(report) }));
  const columns = last.families.flatMap((family) =>
    protocols.map((protocol) => ({ family, protocol, title: `${family} ${protocol}` })),
  );
  const lines = new Map(
    last.results.map((result) => [`${senderText(result)}\n${result.to}`, result]),
  );
  return {
    columns: columns.map(({ title }) => title),
    lines: [...lines.values()].map((one) => ({
      from: senderText(one),
      to: one.to,
      cells: columns.map(({ family, protocol }) => {
        const key = cellKey({ ...one, family, protocol });
        const history = tables.map(({ at, results }) => ({
          at,
          verdict: results.get(key)?.verdict ?? ("untried" as const),
        }));
        const { verdict = "untried", detail = "" } = tables.at(-1)?.results.get(key) ?? {};
        return { verdict, detail, history };
      }),
    })),
  };
}

/** The lamp of each verdict. */
export const verdictLamps: Readonly<Record<Verdict, LampState>> = {
  passed: "ok",
  failed: "bad",
  skipped: "off",
  untried: "off",
};

export function senderText({ from }: Pick<Result, "from">): string {
  if (from.kind === "here") return "this machine";
  return from.kind === "node" ? from.node : `pod on ${from.node}`;
}

function byCell(report: Report): ReadonlyMap<string, Result> {
  return new Map(report.results.map((result) => [cellKey(result), result]));
}

function cellKey(result: Pick<Result, "from" | "to" | "family" | "protocol">): string {
  return [senderText(result), result.to, result.family, result.protocol].join("\n");
}
