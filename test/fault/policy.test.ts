import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { families } from "../../src/base/net/family.ts";
import { type TestCluster, withCluster } from "../e2e/cluster.fixture.ts";
import {
  addressOf,
  allRows,
  applyAll,
  node,
  rowText,
  type ServedPod,
  startPods,
  tryRows,
} from "../e2e/policy.fixture.ts";

const sender = new URL("policy-sender.ts", import.meta.url).pathname;
const tables = ["ip", "ip6"] as const;

/** Nobody but the front of the same namespace reaches pods of x. */
const isolation = {
  apiVersion: "networking.k8s.io/v1",
  kind: "NetworkPolicy",
  metadata: { namespace: "x", name: "isolation" },
  spec: {
    podSelector: {},
    ingress: [{ from: [{ podSelector: { matchLabels: { tier: "front" } } }] }],
    policyTypes: ["Ingress"],
  },
};

test("[POL-5] no denied packet of a thousand a second passes while the agent is killed and rules are flushed", async () => {
  await withCluster({ nodes: 2, dns: false }, async (cluster) => {
    const pods = await startPods(cluster);
    const find = (key: string): ServedPod => {
      const found = pods.find(({ namespace, name }) => `${namespace}/${name}` === key);
      assert.ok(found !== undefined);
      return found;
    };
    await applyAll(cluster, [isolation]);
    const target = find("x/c");
    const denied = allRows(pods).filter(({ from, to }) => to === target && from.namespace === "y");
    const allowed = allRows(pods).filter(({ from, to }) => to === target && from === find("x/a"));
    await cluster.until("the policy is in force", async () => {
      const answers = await tryRows(cluster, denied);
      return answers.includes(true) ? undefined : true;
    });

    const senders = await Promise.all(
      // One on the same node, one on the other.
      ["y/a", "y/b"].map((from) => startSender(cluster, { from, target })),
    );
    for (const hardship of [kill, flush, kill, flushWhileAway]) {
      await hardship(cluster);
      await untilAllowed(cluster, allowed);
    }
    const reports = await Promise.all(senders.map((one) => one.end()));
    for (const { sent, answers } of reports) {
      assert.equal(answers, 0, "a denied datagram was answered");
      assert.ok(sent > 3000, `only ${sent} datagrams were sent`);
    }
  });
});

async function startSender(
  cluster: TestCluster,
  { from, target }: { readonly from: string; readonly target: ServedPod },
) {
  const addresses = families.map((family) => addressOf(target, family));
  const way = await cluster.wayInto(from);
  const [program = "", ...args] = [...way, node, sender, "8080", ...addresses];
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  const output = text(child.stdout);
  return {
    async end(): Promise<{ readonly sent: number; readonly answers: number }> {
      child.stdin.end();
      return JSON.parse(await output) as { sent: number; answers: number };
    },
  };
}

async function kill(cluster: TestCluster): Promise<void> {
  const { pid } = await agentOf(cluster);
  process.kill(pid, "SIGKILL");
  await cluster.until("another agent runs", async () => {
    const now = await agentOf(cluster);
    return now.isRunning && now.pid !== pid ? true : undefined;
  });
}

/** Rules go, sets stay: nothing is forwarded until they are back. */
async function flush(cluster: TestCluster): Promise<void> {
  for (const family of tables) {
    await cluster.in("node-1").run(["nft", "flush", "table", family, "tandem-policy"]);
  }
}

async function flushWhileAway(cluster: TestCluster): Promise<void> {
  const { pid } = await agentOf(cluster);
  process.kill(pid, "SIGSTOP");
  await flush(cluster);
  await sleep(1000);
  process.kill(pid, "SIGKILL");
}

async function untilAllowed(
  cluster: TestCluster,
  rows: Parameters<typeof tryRows>[1],
): Promise<void> {
  await cluster.until("what is allowed passes again", async () => {
    const answers = await tryRows(cluster, rows);
    const missing = rows.filter((_, index) => answers[index] !== true);
    return missing.length === 0 ? rows.map(rowText) : undefined;
  });
}

async function agentOf(
  cluster: TestCluster,
): Promise<{ readonly pid: number; readonly isRunning: boolean }> {
  const { programs } = await cluster.status();
  const found = programs.find(({ name }) => name === "node-1");
  return { pid: found?.pid ?? 0, isRunning: found?.pid !== undefined };
}
