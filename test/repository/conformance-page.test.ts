// The page that `make conformance` writes, from reports as ginkgo writes them.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { addToPage } from "../conformance/pages.ts";
import { pageOf, type Run, readReport, type TestResult } from "../conformance/report.ts";

const report = JSON.stringify([
  {
    SpecReports: [
      {
        LeafNodeType: "BeforeSuite",
        LeafNodeText: "",
        ContainerHierarchyTexts: null,
        State: "passed",
        RunTime: 1,
      },
      spec("[sig-network] DNS", "should resolve [Conformance]", "passed"),
      spec(
        "[sig-network] Proxy",
        "should answer | twice [Conformance]",
        "failed",
        "no answer\nmore",
      ),
      spec("[sig-node] Pods", "left out by the focus", "skipped"),
      spec("[sig-node] Pods", "should find a device", "skipped", "needs a device"),
    ],
  },
]);

function spec(container: string, text: string, state: string, message?: string): object {
  return {
    LeafNodeType: "It",
    LeafNodeText: text,
    ContainerHierarchyTexts: [container],
    State: state,
    RunTime: 2_400_000_000,
    ...(message === undefined ? {} : { Failure: { Message: message } }),
  };
}

test("[API-16] tests that ran are read from a report, with the first line of a failure", () => {
  const results = readReport(report);
  assert.deepEqual(
    results.map(({ sig, state, message }) => [sig, state, message]),
    [
      ["network", "passed", ""],
      ["network", "failed", "no answer"],
      ["node", "skipped", "needs a device"],
    ],
  );
});

const whole: Run = {
  date: "2026-01-02",
  commit: "01234567",
  version: "v1.36.4",
  cluster: "ipv6-only",
  focus: "Conformance",
  skip: "",
  minutes: 3,
  results: readReport(report),
};

test("[API-16] the page counts by SIG and lists each test", () => {
  const page = pageOf([whole]);
  assert.match(page, /\| network \| 1 \| 1 \| 0 \|/);
  assert.match(page, /\| all \| 1 \| 1 \| 1 \|/);
  assert.match(
    page,
    /\| \*\*failed\*\* \| \[sig-network\] Proxy should answer \\\| twice \[Conformance\]: no answer \| 2 \|/,
  );
});

test("[API-16] a test that was run again counts by its last result, and its row says what the whole run said", () => {
  const results = whole.results
    .filter((result) => result.state === "failed")
    .map((result) => ({ ...result, state: "passed" as const, message: "" }));
  const other = { ...results[0], name: "a test that the page does not have" } as TestResult;
  const page = pageOf([whole, { ...whole, commit: "89abcdef", results: [...results, other] }]);
  assert.match(page, /In that one run 1 of 3 passed/);
  assert.match(page, /^- 2026-01-02 at commit 89abcdef$/m);
  assert.match(page, /\| all \| 2 \| 0 \| 1 \|/);
  assert.match(
    page,
    /\| passed again at 89abcdef \| .*twice \[Conformance\]; failed in the whole run: no answer \| 2 \|/,
  );
  assert.doesNotMatch(page, /does not have/);
});

test("[API-16] a later run joins the runs of its page, and is refused where there were none", () => {
  const cache = mkdtempSync(join(tmpdir(), "conformance-page-"));
  try {
    const options = { cache, folder: cache, name: "ipv6-only", run: whole };
    assert.throws(() => addToPage({ ...options, isAgain: true }), /Cannot add to the page/);
    addToPage({ ...options, isAgain: false });
    const path = addToPage({ ...options, isAgain: true, run: { ...whole, commit: "89abcdef" } });
    assert.match(readFileSync(path, "utf8"), /at commit 89abcdef/);
  } finally {
    rmSync(cache, { recursive: true });
  }
});
