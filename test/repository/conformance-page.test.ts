// The page that `make conformance` writes, from reports as ginkgo writes them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pageOf, readReport } from "../conformance/report.ts";

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

test("tests that ran are read from a report, with the first line of a failure", () => {
  const results = readReport(report);
  assert.deepEqual(
    results.map(({ sig, isPassed, message }) => [sig, isPassed, message]),
    [
      ["network", true, ""],
      ["network", false, "no answer"],
    ],
  );
});

test("the page counts by SIG and lists each test", () => {
  const page = pageOf({
    date: "2026-01-02",
    version: "v1.36.4",
    cluster: "ipv6-only",
    focus: "Conformance",
    skip: "",
    minutes: 3,
    results: readReport(report),
  });
  assert.match(page, /\| network \| 1 \| 1 \|/);
  assert.match(
    page,
    /\| \*\*failed\*\* \| \[sig-network\] Proxy should answer \\\| twice \[Conformance\]: no answer \| 2 \|/,
  );
});
