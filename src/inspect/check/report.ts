// Renders the grid, and the advice where something does not work.

import { type Column, formatTable } from "../../base/program/table.ts";
import { adviceText } from "./advice.ts";
import type { Sender } from "./plan.ts";
import type { Report, Result } from "./results.ts";
import { protocols } from "./targets.ts";

export function reportText(report: Report): string {
  const { results, passed, failed, skipped } = report;
  const counts = [
    `${passed} passed`,
    `${failed} failed`,
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  const parts = [grid(report), skippedText(results), failedText(results), adviceText(report)];
  return [...parts.filter(Boolean), `${counts.join(", ")}.\n`].join("\n");
}

const words = { passed: "ok", failed: "FAILED", skipped: "-" } as const;

interface Line {
  readonly from: string;
  readonly to: string;
  readonly results: readonly Result[];
}

function grid({ results, families: checked }: Report): string {
  const lines = Map.groupBy(results, (result) => `${senderText(result.from)}\n${result.to}`);
  const rows = [...lines.values()].map((ofLine): Line => {
    const [first] = ofLine;
    return { from: first ? senderText(first.from) : "", to: first?.to ?? "", results: ofLine };
  });
  const columns: Column<Line>[] = [
    { header: "From", value: ({ from }) => from },
    { header: "To", value: ({ to }) => to },
    ...checked.flatMap((family) =>
      protocols.map((protocol) => ({
        header: `${family} ${protocol}`,
        value: ({ results: cells }: Line) => {
          const cell = cells.find((each) => each.family === family && each.protocol === protocol);
          return cell === undefined ? "-" : words[cell.verdict];
        },
      })),
    ),
  ];
  return formatTable(columns, rows);
}

function skippedText(results: readonly Result[]): string {
  const texts = results
    .filter(({ verdict }) => verdict === "skipped")
    .map(({ to, family, detail }) => `Skipped: ${to}, ${family}: ${detail}\n`);
  return [...new Set(texts)].join("");
}

/** Failures by several protocols are told once, since they most likely have one reason. */
function failedText(results: readonly Result[]): string {
  const failures = results.filter(({ verdict }) => verdict === "failed");
  const lines = Map.groupBy(
    failures,
    ({ from, to, family }) => `${senderText(from)} to ${to}, ${family}`,
  );
  return [...lines]
    .map(([line, same]) => {
      const by = same.map(({ protocol }) => protocol).join(" and ");
      return `Failed: ${line}, ${by}: ${same[0]?.detail}\n`;
    })
    .join("");
}

function senderText(from: Sender): string {
  if (from.kind === "here") return "this machine";
  return from.kind === "node" ? from.node : `pod on ${from.node}`;
}
