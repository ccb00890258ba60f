import assert from "node:assert/strict";
import { test } from "node:test";
import type { Result } from "../../src/inspect/check/results.ts";
import { checkReport, cutBetweenNodes, textsOf } from "./check.fixture.ts";
import { withCluster } from "./cluster.fixture.ts";

test("[E2E-1] what is cut off in one family, and nothing else, fails a check", async () => {
  await withCluster({ nodes: 2 }, async (cluster) => {
    await cutBetweenNodes(cluster);
    const { exitCode, results } = await checkReport(cluster, ["--answer-timeout=2s"]);
    assert.equal(exitCode, 1);
    const failures = results.filter(({ verdict }) => verdict === "failed");
    const expected = results.filter((each) => each.family === "IPv6" && isAcross(each));
    assert.deepEqual(textsOf(failures), textsOf(expected));
    for (const { detail } of failures) assert.match(detail ?? "", /no answer in 2000 ms/);
  });
});

function isAcross({ from, to }: Result): boolean {
  return from.kind !== "here" && to.includes("node-") && !to.includes(from.node);
}
