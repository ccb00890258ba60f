import assert from "node:assert/strict";
import { test } from "node:test";
import { systemCommands } from "../../src/base/host/command.system.ts";
import { checkFromOutside } from "./check.fixture.ts";
import { type TestCluster, withCluster } from "./cluster.fixture.ts";
import { echoProgram } from "./connectivity.fixture.ts";

const launcher = new URL("../../bin/tandem", import.meta.url).pathname;

const kinds = new Set([
  "cluster-ip",
  "external-ip",
  "headless",
  "host-port",
  "ingress",
  "load-balancer",
  "localhost",
  "name",
  "node",
  "node-port",
  "outside",
  "pod",
]);

test("[E2E-1] a check asks by every way, from outside, too, and leaves nothing behind", async () => {
  await withCluster({ nodes: 2, ingress: true }, async (cluster) => {
    const outside = cluster.in("outside");
    const serving = await outside.start([echoProgram, "serve"], { diesWithParent: true });
    try {
      await checkEveryWay(cluster);
      await checkBreakingOff(cluster);
    } finally {
      await serving.stop();
    }
  });
});

async function checkEveryWay(cluster: TestCluster): Promise<void> {
  const report = await checkFromOutside(cluster, {
    outside: ["203.0.113.10", "2001:db8:113::a"],
    flags: ["--load-balancer", "--ingress-class=tandem"],
  });
  const { results } = report;
  const [far, near] = [true, false].map((isFar) =>
    results.filter(({ kind }) => (kind === "outside") === isFar),
  );
  assert.deepEqual(
    near?.filter(({ verdict }) => verdict !== "passed"),
    [],
  );
  for (const { verdict, to, family } of far ?? []) {
    // An address has one family.
    assert.equal(verdict, to.includes(":") === (family === "IPv6") ? "passed" : "skipped");
  }
  assert.equal(report.exitCode, 0);
  assert.deepEqual(report.families, ["IPv4", "IPv6"]);
  assert.deepEqual(report.nodes, ["node-1", "node-2"]);
  assert.deepEqual(new Set(results.map(({ kind }) => kind)), kinds);
  const fromHere = results.filter(({ from, kind }) => from.kind === "here" && kind === "host-port");
  const seen = new Set(fromHere.map(({ seenAs }) => seenAs));
  assert.deepEqual(seen, new Set(["203.0.113.10", "2001:db8:113::a"]));
  assert.ok(!(await namespaces(cluster)).includes(report.namespace));
}

/** As by Ctrl-C, once there is something to remove. Who never answers keeps it asking. */
async function checkBreakingOff(cluster: TestCluster): Promise<void> {
  const namespace = "broken-off";
  const silence =
    "table inet silence { chain in { type filter hook input priority 0; udp dport 9 drop; }; }";
  await cluster.in("outside").run(["nft", "-f", "-"], { stdin: silence });
  const lines: string[] = [];
  const running = await systemCommands().start(
    [
      launcher,
      "check",
      `--namespace=${namespace}`,
      `--kubeconfig=${cluster.kubeconfig}`,
      "--outside=udp://203.0.113.10:9",
      "--answer-timeout=120s",
    ],
    { diesWithParent: true, graceMs: 60_000, onLine: (line) => lines.push(line) },
  );
  try {
    await cluster.until("it asks", async () =>
      lines.some((line) => line.endsWith("checks ...")) ? true : undefined,
    );
    assert.ok((await namespaces(cluster)).includes(namespace));
    running.kill("SIGINT");
    assert.deepEqual(await running.exited, { code: 130 });
    assert.ok(!(await namespaces(cluster)).includes(namespace), lines.join("\n"));
  } finally {
    await running.stop();
  }
}

async function namespaces(cluster: TestCluster): Promise<readonly string[]> {
  const names = await cluster.kubectl.run("get", "namespaces", "-o", "name");
  return names
    .trim()
    .split("\n")
    .map((line) => line.replace("namespace/", ""));
}
