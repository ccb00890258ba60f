import assert from "node:assert/strict";
import { test } from "node:test";
import type { Report, Result } from "../../check/check.ts";
import { type CheckRun, gridOf } from "./check-runs.ts";

const result = (family: Result["family"], verdict: Result["verdict"]): Result => ({
  kind: "pod",
  from: { kind: "node", node: "node-1", pod: "p", container: "c" },
  to: "pod on node-2",
  family,
  protocol: "http",
  verdict,
});

function run(number: number, ...results: Result[]): CheckRun {
  const report: Report = {
    passed: 0,
    failed: 0,
    skipped: 0,
    families: ["IPv4", "IPv6"],
    nodes: ["node-1", "node-2"],
    namespace: "n",
    isKept: false,
    results,
  };
  return { name: String(number), number, startedAt: `at ${number}`, endedAt: "then", report };
}

test("[E2E-1] the grid is that of the last run with a report, in order of their numbers", () => {
  const runs = [
    run(10, result("IPv4", "passed"), result("IPv6", "failed")),
    run(9, result("IPv4", "passed"), result("IPv6", "passed")),
    { name: "11", number: 11, startedAt: "at 11", error: "no" },
  ];
  const { columns, lines } = gridOf(runs);
  assert.deepEqual(columns, ["IPv4 http", "IPv4 udp", "IPv6 http", "IPv6 udp"]);
  const [line, ...more] = lines;
  assert.deepEqual(more, []);
  assert.deepEqual([line?.from, line?.to], ["node-1", "pod on node-2"]);
  assert.deepEqual(
    line?.cells.map(({ verdict }) => verdict),
    ["passed", "untried", "failed", "untried"],
  );
  assert.deepEqual(line?.cells[2]?.history, [
    { at: "at 9", verdict: "passed" },
    { at: "at 10", verdict: "failed" },
  ]);
});

test("[E2E-1] without a report there is no grid", () => {
  assert.deepEqual(gridOf([]).lines, []);
  assert.deepEqual(gridOf([{ name: "1", number: 1, startedAt: "" }]).lines, []);
});
