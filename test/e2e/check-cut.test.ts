import assert from "node:assert/strict";
import { test } from "node:test";
import type { Result } from "../../src/inspect/check/results.ts";
import { checkReport, textsOf } from "./check.fixture.ts";
import { type TestCluster, withCluster } from "./cluster.fixture.ts";

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

/** What node-1 and its pods send over IPv6 does not reach node-2. */
async function cutBetweenNodes(cluster: TestCluster): Promise<void> {
  const jsonpath = "jsonpath={.spec.podCIDRs[*]} {.status.addresses[*].address}";
  const text = await cluster.kubectl.run("get", "node", "node-1", "-o", jsonpath);
  const sources = text.split(" ").filter((each) => each.includes(":"));
  assert.equal(sources.length, 2);
  const rules = `table inet cut {
    chain arriving {
      type filter hook prerouting priority raw;
      iifname "eth0" ip6 saddr { ${sources.join(", ")} } meta l4proto { tcp, udp } drop
    }
  }`;
  await cluster.in("node-2").run(["nft", "-f", "-"], { stdin: rules });
}

function isAcross({ from, to }: Result): boolean {
  return from.kind !== "here" && to.includes("node-") && !to.includes(from.node);
}
