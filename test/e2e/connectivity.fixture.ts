// Connectivity in a cluster, checked with real packets: servers report the source address they see.

import assert from "node:assert/strict";
import type { Pod } from "../../src/api/types/core.ts";
import type { CommandOutput } from "../../src/base/host/command.ts";
import { CommandError } from "../../src/base/host/error.ts";
import { systemIp } from "../../src/base/host/ip.system.ts";
import { Address } from "../../src/base/net/address.ts";
import type { Family } from "../../src/base/net/family.ts";
import { echoPort } from "../../src/inspect/check/objects.ts";
import type { Result } from "../../src/inspect/check/results.ts";
import { whyNotReady } from "../../src/inspect/check/unready.ts";
import { checkFromOutside } from "./check.fixture.ts";
import type { TestCluster } from "./cluster.fixture.ts";

export { echoPod, echoPort } from "../../src/inspect/check/objects.ts";

export const echoProgram = new URL("../../build/tandem-echo", import.meta.url).pathname;

/** Runs everything that `tandem check` asks of any cluster, and checks the source address on each path. */
export async function checkConnectivity(
  cluster: TestCluster,
  present: readonly Family[],
): Promise<void> {
  const serving = await cluster
    .in("outside")
    .start([echoProgram, "serve"], { diesWithParent: true });
  try {
    const outside = present.map((family) => hosts[family].outside);
    // The flag `--keep` saves time: the cluster is removed with all that is in it.
    const { results, families } = await checkFromOutside(cluster, { outside, flags: ["--keep"] });
    const failures = results.filter(({ verdict }) => verdict === "failed");
    assert.deepEqual(failures, []);
    assert.deepEqual(new Set(families), new Set(present));
    for (const family of present) {
      await checkSenders(
        cluster,
        family,
        results.filter((each) => each.family === family && each.verdict === "passed"),
      );
    }
  } finally {
    await serving.stop();
  }
}

/** Applies pods, and waits until all pods of the namespace are ready. */
export async function runPods(
  cluster: TestCluster,
  pods: readonly object[],
): Promise<ReadonlyMap<string, Pod>> {
  if (pods.length > 0) {
    await cluster.kubectl.pipe({ apiVersion: "v1", kind: "List", items: pods }, "apply", "-f", "-");
  }
  return await cluster.until("all pods are ready", async () => {
    const text = await cluster.kubectl.run("get", "pods", "-o", "json");
    const { items } = JSON.parse(text) as { items: Pod[] };
    if (items.length === 0 || items.some((pod) => whyNotReady(pod) !== undefined)) return undefined;
    return new Map(items.map((pod) => [pod.metadata.name ?? "", pod]));
  });
}

export function addressOf(pod: Pod | undefined, family: Family): string {
  const found = (pod?.status?.podIPs ?? []).find(({ ip }) => Address.parse(ip).family === family);
  assert.ok(found !== undefined, `${pod?.metadata.name} has an address of ${family}`);
  return found.ip;
}

export interface Echo {
  readonly client: { readonly address: string };
  readonly pod: { readonly name: string };
}

/** Asks an address over HTTP and UDP, and checks that both see the same client. */
export async function ask(
  cluster: TestCluster,
  from: string,
  { address, port = echoPort }: { readonly address: string; readonly port?: number },
): Promise<Echo> {
  const host = address.includes(":") ? `[${address}]` : address;
  const client = cluster.in(from);
  const say = (...words: string[]) =>
    cluster.until(`${from} reaches ${address}`, () =>
      answerOf(client.run([echoProgram, ...words])),
    );
  const [overHttp, overUdp] = await Promise.all([
    say("get", `http://${host}:${port}/`, "--timeout=10s"),
    say("udp", `${host}:${port}`, "hello", "--timeout=10s"),
  ]);
  assert.equal(overUdp.client.address, overHttp.client.address, "over HTTP and over UDP");
  return overHttp;
}

/** Returns the answer; undefined if there is none, as until ready nodes have learnt of each other's pods. */
async function answerOf(asked: Promise<CommandOutput>): Promise<Echo | undefined> {
  try {
    return JSON.parse((await asked).stdout) as Echo;
  } catch (error) {
    if (error instanceof CommandError) return undefined;
    throw error;
  }
}

/**
 * Checks source addresses: pods keep theirs towards nodes and get their node's towards the world; nodes
 * and the world keep theirs.
 */
async function checkSenders(
  cluster: TestCluster,
  family: Family,
  results: readonly Result[],
): Promise<void> {
  for (const node of ["node-1", "node-2"] as const) {
    const own = await addressesIn(cluster, node, family);
    const sent = results.filter(({ from }) => from.kind !== "here" && from.node === node);
    const seen = (sender: "pod" | "node", kind: Result["kind"]) =>
      new Set(
        sent
          .filter((each) => each.from.kind === sender && each.kind === kind)
          .map(({ seenAs = "" }) => seenAs),
      );
    assert.deepEqual(seen("pod", "node"), seen("pod", "pod"), `from a pod on ${node} to nodes`);
    const masked = new Set([hosts[family][node]]);
    assert.deepEqual(seen("pod", "outside"), masked, `from a pod on ${node} to the world`);
    const asNode = seen("node", "pod");
    assert.ok(asNode.size > 0 && asNode.isSubsetOf(new Set(own)), `from ${node}`);
    const anycast = [...asNode].filter((address) => /::$|\.0$/.test(address));
    assert.deepEqual(anycast, [], `${node} sends from no address of a whole subnet`);
  }
  const entered = results.filter(({ from, kind }) => from.kind === "here" && kind === "host-port");
  assert.equal(entered.length, 4);
  for (const { seenAs } of entered) assert.equal(seenAs, hosts[family].outside);
}

const hosts = {
  IPv4: { "node-1": "192.168.111.11", "node-2": "192.168.111.12", outside: "203.0.113.10" },
  IPv6: { "node-1": "fd00:111::b", "node-2": "fd00:111::c", outside: "2001:db8:113::a" },
} as const;

async function addressesIn(
  cluster: TestCluster,
  place: string,
  family: Family,
): Promise<readonly string[]> {
  const found = await systemIp(cluster.in(place)).addresses(family);
  return found.map(({ address }) => String(address));
}
