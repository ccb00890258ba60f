// Renders the report of a check of policies.

import { families as allFamilies, type Family } from "../../../base/net/family.ts";
import { type Column, formatTable } from "../../../base/program/table.ts";
import type { CellResult } from "./ask.ts";
import type { Witness, WitnessPlan } from "./witnesses.ts";

export interface PolicyReport {
  readonly namespace: string;
  readonly policies: readonly string[];
  readonly passed: number;
  readonly failed: number;
  readonly families: readonly Family[];
  /** What was not tried, and why. */
  readonly untried: readonly string[];
  readonly results: readonly CellResult[];
}

export function policyReportOf(
  results: readonly CellResult[],
  head: Pick<PolicyReport, "namespace" | "policies"> & Pick<WitnessPlan, "untried">,
): PolicyReport {
  const failed = results.filter(({ verdict }) => verdict === "failed").length;
  const families = allFamilies.filter((family) => results.some((one) => one.family === family));
  return { ...head, families, failed, passed: results.length - failed, results };
}

interface Line {
  readonly cells: readonly [CellResult, ...CellResult[]];
}

export function policyReportText(report: PolicyReport): string {
  const { results, untried, passed, failed, policies, namespace } = report;
  const grouped = Map.groupBy(results, ({ from, to, protocol, port }) =>
    [from.name, to.name, protocol, port].join(" "),
  );
  const lines = [...grouped.values()].flatMap(([first, ...rest]): Line[] =>
    first === undefined ? [] : [{ cells: [first, ...rest] }],
  );
  const columns: Column<Line>[] = [
    { header: "From", value: ({ cells: [one] }) => witnessText(one.from) },
    { header: "To", value: ({ cells: [one] }) => witnessText(one.to) },
    { header: "Port", value: ({ cells: [one] }) => `${one.port}/${one.protocol}` },
    { header: "Policies say", value: ({ cells: [one] }) => (one.passes ? "passes" : "denied") },
    ...report.families.map((family) => ({
      header: family,
      value: ({ cells }: Line) => wordOf(cells.find((one) => one.family === family)),
    })),
    { header: "By", value: ({ cells: [one] }) => one.by },
  ];
  const failures = results.filter(({ verdict }) => verdict === "failed").map(failureText);
  const parts = [
    formatTable(columns, lines),
    untried.map((text) => `Not tried: ${text}\n`).join(""),
    failures.join(""),
    `${policies.length} policies of ${namespace}: ${passed} packets as they say, ${failed} not.\n`,
  ];
  return parts.filter(Boolean).join("\n");
}

function wordOf(cell: CellResult | undefined): string {
  if (cell === undefined) return "-";
  return cell.verdict === "passed" ? "ok" : "FAILED";
}

function failureText({ from, to, family, protocol, port, passes, by, found }: CellResult): string {
  const should = passes ? `should pass (${by})` : `should be denied by ${by}`;
  const what = `${witnessText(from)} to ${witnessText(to)}, ${family} ${port}/${protocol}`;
  return `FAILED: ${what} ${should}: ${found}\n`;
}

function witnessText({ namespace, labels }: Witness): string {
  const texts = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return `${namespace} (${texts.join(",") || "no labels"})`;
}
