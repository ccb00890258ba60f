import assert from "node:assert/strict";
import { test } from "node:test";
import { createProgress } from "../../base/program/progress.ts";
import { followReports, type Report, reportingProgress } from "./report.ts";

test("what is reported inside is shown outside", async () => {
  const inside: string[] = [];
  const reporting = reportingProgress((report) => inside.push(JSON.stringify(report)));
  await reporting.step("network", async () => undefined);
  await assert.rejects(reporting.step("server", () => Promise.reject(new Error("no"))));
  const lines = [...inside, JSON.stringify({ failure: "Cannot start server" } satisfies Report)];
  assert.deepEqual(await shown(lines, /Cannot start server/), [
    "network ...\n",
    "network done (0 ms)\n",
    "server ...\n",
    "server failed (0 ms)\n",
  ]);
});

test("an end before everything is ready is a failure", async () => {
  await shown([], /it ended before it was ready/);
});

async function shown(lines: readonly string[], failure: RegExp): Promise<readonly string[]> {
  const written: string[] = [];
  const progress = createProgress({ write: (text) => written.push(text) }, () => 0);
  const reports = async function* () {
    yield* lines;
  };
  await assert.rejects(followReports(reports(), progress), failure);
  return written;
}
