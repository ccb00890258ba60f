// The connectivity check: its grid, run on click or every few minutes, and the history of each cell.

import { type ComponentChildren, h } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import {
  type CheckCell,
  type CheckLine,
  type CheckRun,
  gridOf,
  senderText,
  verdictLamps,
} from "../../model/check-runs.ts";
import { checkCommand } from "../../model/commands.ts";
import { signs } from "../../model/lamps.ts";
import type { Mirror } from "../../model/mirror.ts";
import type { Route } from "../../model/route.ts";
import { Command } from "../command.ts";
import { type About, start } from "../connection.ts";
import { go } from "../navigation.ts";
import { VirtualList } from "../virtual-list.ts";

export interface CheckProps {
  readonly mirror: Mirror;
  readonly about: About;
  readonly route: Route;
}

const intervals: readonly number[] = [1, 5, 15, 60];
/** The most runs that a cell's history shows. */
const mostShown = 10;

/** The most failures that are listed above the grid. */
const mostFailures = 5;

export function CheckView({ mirror, about, route }: CheckProps): ComponentChildren {
  const runs = mirror.told("checks").toSorted((a, b) => a.number - b.number);
  const last = runs.at(-1);
  const isRunning = last !== undefined && last.endedAt === undefined;
  const minutes = Number(route.parameters["every"] ?? 0);
  const isAllowed = about.allows?.includes("check") === true;
  const [refusal, setRefusal] = useState("");
  const run = (): void => void start("/api/check").then((why) => setRefusal(why ?? ""));
  const isUnderWay = useRef(isRunning);
  isUnderWay.current = isRunning;
  useEffect(() => {
    if (!isAllowed || !(minutes > 0)) return undefined;
    const runUnlessRunning = (): void => {
      if (!isUnderWay.current) run();
    };
    const timer = setInterval(runUnlessRunning, minutes * 60_000);
    return () => clearInterval(timer);
  }, [isAllowed, minutes]);
  return h(
    "section",
    null,
    h("h1", null, "Check"),
    isAllowed
      ? h(
          "div",
          { class: "filters" },
          isRunning
            ? h("button", { type: "button", onClick: () => void start("/api/check/stop") }, "Stop")
            : h("button", { type: "button", onClick: run }, "Run now"),
          h(
            "select",
            {
              "aria-label": "how often",
              value: route.parameters["every"] ?? "",
              onChange: ({ currentTarget }: { readonly currentTarget: HTMLSelectElement }) =>
                go({ view: "check", parameters: { every: currentTarget.value } }),
            },
            h("option", { value: "" }, "only on click"),
            intervals.map((each) =>
              h(
                "option",
                { key: each, value: String(each) },
                `every ${each} min, while this is open`,
              ),
            ),
          ),
          h("span", { role: "status" }, stateText(last)),
        )
      : h(
          "p",
          { role: "status" },
          "A check makes pods. Start the dashboard with --allow-check to run it from here.",
        ),
    refusal !== "" && h("p", { role: "alert" }, refusal),
    h(Grid, { runs }),
  );
}

function stateText(run: CheckRun | undefined): string {
  if (run === undefined) return "It was not run yet.";
  const { endedAt, step = "", error, report, startedAt } = run;
  if (endedAt === undefined) return `Running: ${step}`;
  const at = new Date(startedAt).toLocaleTimeString();
  if (report === undefined) return `✖ The run of ${at} has no result: ${error}`;
  const sign = report.failed > 0 ? signs.bad : signs.ok;
  return `${sign} ${at}: ${report.passed} passed, ${report.failed} failed, ${report.skipped} skipped`;
}

function Grid({ runs }: { readonly runs: readonly CheckRun[] }): ComponentChildren {
  const { columns, lines } = gridOf(runs);
  if (lines.length === 0) return h(Command, { text: checkCommand });
  const failures = (
    runs.findLast(({ report }) => report !== undefined)?.report?.results ?? []
  ).filter(({ verdict }) => verdict === "failed");
  return [
    failures.length > 0 &&
      h(
        "ul",
        { key: "failures", class: "wrong" },
        failures
          .slice(0, mostFailures)
          .map((each, at) =>
            h(
              "li",
              { key: at, class: "lamp bad" },
              `${signs.bad} ${senderText(each)} to ${each.to}, ${each.family}, ${each.protocol}: ${each.detail ?? ""}`,
            ),
          ),
        failures.length > mostFailures &&
          h("li", null, `and ${failures.length - mostFailures} more, in the grid`),
      ),
    h(VirtualList, {
      key: "grid",
      label: "grid of the check",
      count: lines.length,
      heading: ["From", "To", ...columns].map((title) =>
        h("span", { key: title, role: "columnheader" }, title),
      ),
      command: checkCommand,
      isWide: true,
      row: (index) => lineCells(lines[index]),
    }),
    h("p", { key: "legend" }, h("small", null, legend)),
  ];
}

const legend = `Behind each result are those of the runs before, the newest last, at most ${mostShown}; all are since the dashboard was started.`;

function lineCells(line: CheckLine | undefined): ComponentChildren {
  if (line === undefined) return null;
  const { from, to, cells } = line;
  return [
    h("span", { key: "from", role: "cell" }, from),
    h("span", { key: "to", role: "cell", title: to }, to),
    ...cells.map((cell, at) => h("span", { key: at, role: "cell" }, cellOf(cell))),
  ];
}

const words = { passed: "ok", failed: "failed", skipped: "–", untried: "–" } as const;

function cellOf({ verdict, detail, history }: CheckCell): ComponentChildren {
  const state = verdictLamps[verdict];
  const before = history.slice(0, -1).slice(-mostShown);
  return [
    h(
      "span",
      { key: "now", class: `lamp ${state}`, title: detail },
      `${signs[state]} ${words[verdict]}`,
    ),
    before.length > 0 &&
      h(
        "span",
        { key: "before", class: "history" },
        h(
          "span",
          { class: "sr" },
          ` before: ${before.map((each) => words[each.verdict]).join(", ")}`,
        ),
        before.map((each, at) =>
          h(
            "span",
            {
              key: at,
              class: `lamp ${verdictLamps[each.verdict]}`,
              "aria-hidden": "true",
              title: `${new Date(each.at).toLocaleTimeString()}: ${words[each.verdict]}`,
            },
            signs[verdictLamps[each.verdict]],
          ),
        ),
      ),
  ];
}
