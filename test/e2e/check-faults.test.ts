import assert from "node:assert/strict";
import { test } from "node:test";
import { checkReport, textsOf } from "./check.fixture.ts";
import { says, withCluster } from "./cluster.fixture.ts";

test("[E2E-1] without DNS, names and nothing else fail a check", async () => {
  await withCluster({ nodes: 1, dns: false }, async (cluster) => {
    const { exitCode, results } = await checkReport(cluster, ["--answer-timeout=3s"]);
    assert.equal(exitCode, 1);
    const failures = results.filter(({ verdict }) => verdict === "failed");
    const named = results.filter(({ kind }) => kind === "name" || kind === "headless");
    assert.equal(named.length, 8);
    assert.deepEqual(textsOf(failures), textsOf(named));
  });
});

test("[E2E-1] a check refuses what it cannot do, and explains why pods do not start", async () => {
  await withCluster({ nodes: 1, dns: false, podCidr: "10.244.0.0/16" }, async (cluster) => {
    const refused: [flag: string, message: RegExp][] = [
      ["--namespace=default", /Cannot use namespace=default: it is there already/],
      ["--nodes=node-7", /Cannot use nodes=node-7: there is node-1/],
      ["--family=IPv6", /Cannot check family=IPv6: pods have IPv4 only/],
    ];
    for (const [flag, message] of refused) {
      await assert.rejects(cluster.tandem(["check", flag]), says(message));
    }
    const flags = ["--image=tandem.internal/no-such", "--timeout=3s"];
    const failing = cluster.tandem(["check", ...flags]);
    await assert.rejects(failing, says(/Cannot start the pods within 3 s: client-1 on node-1/));
    const left = await cluster.kubectl.run("get", "namespaces", "-o", "name");
    assert.doesNotMatch(left, /tandem-check/);
  });
});
