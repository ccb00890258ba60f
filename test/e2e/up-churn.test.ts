import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { test } from "node:test";
import { systemIp } from "../../src/base/host/ip.system.ts";
import { findCluster, fromOutside } from "../../src/programs/up/find-cluster.ts";
import { clusterMachine } from "../../src/programs/up/machine.ts";
import { type TestCluster, withCluster } from "./cluster.fixture.ts";
import { killProgram } from "./cluster-traces.fixture.ts";
import { echoPod, runPods } from "./connectivity.fixture.ts";

const rounds = process.env["TANDEM_SOAK"] === "1" ? 50 : 10;
const nodes = ["node-1", "node-2"] as const;
const victims = [["node-1"], ["server"], ["node-2", "server"]] as const;

test("kills of agents and servers while pods come and go leave nothing behind, nor disturb the others", async () => {
  await withCluster({ nodes: 2, dns: false }, async (cluster) => {
    await runPods(
      cluster,
      nodes.map((node) => echoPod({ name: `stays-${node}`, node })),
    );
    const before = { stays: await identityOf(cluster), traces: await tracesOf(cluster) };
    for (let round = 0; round < rounds; round++) {
      await create(cluster, round);
      await strike(cluster, victims[round % victims.length] ?? []);
      if (round > 0) await remove(cluster, `round=${round - 1}`);
    }
    await remove(cluster, "round");
    await cluster.until("the pods of all rounds are gone", async () => {
      const left = await cluster.kubectl.run("get", "pods", "-l", "round", "-o", "name");
      return left === "" ? true : undefined;
    });
    let traces = "";
    const deadline = Date.now() + 60_000;
    await cluster.until("the traces of pods are gone", async () => {
      traces = await tracesOf(cluster);
      return traces === before.traces || Date.now() > deadline ? true : undefined;
    });
    assert.equal(traces, before.traces);
    assert.equal(await identityOf(cluster), before.stays);
  });
});

async function create(cluster: TestCluster, round: number): Promise<void> {
  const items = nodes.map((node) => {
    const pod = echoPod({ name: `round-${round}-${node}`, node });
    return { ...pod, metadata: { ...pod.metadata, labels: { round: String(round) } } };
  });
  await cluster.kubectl.pipe({ apiVersion: "v1", kind: "List", items }, "create", "-f", "-");
}

async function remove(cluster: TestCluster, selector: string): Promise<void> {
  await cluster.kubectl.run("delete", "pods", "-l", selector, "--now", "--wait=false");
}

/** Kills them at once, and waits until they are back. */
async function strike(cluster: TestCluster, names: readonly string[]): Promise<void> {
  const before = await Promise.all(names.map((name) => killProgram(cluster, name)));
  await cluster.until(`${names.join(" and ")} are back`, async () => {
    const { programs, nodes: found } = await cluster.status();
    const areBack = before.every(({ name, restarts }) =>
      programs.some((now) => now.name === name && now.isRunning && now.restarts > restarts),
    );
    return areBack && found.length === nodes.length ? true : undefined;
  });
}

async function identityOf(cluster: TestCluster): Promise<string> {
  const parts =
    "{.metadata.uid} {.status.podIPs[*].ip} {.status.containerStatuses[*].state.running.startedAt}";
  const template = `jsonpath={range .items[*]}${parts}{'\\n'}{end}`;
  return await cluster.kubectl.run("get", "pods", "-l", "app=echo", "-o", template);
}

/** Interfaces, mounts, sandboxes and reserved addresses, counted. */
async function tracesOf(cluster: TestCluster): Promise<string> {
  const found = await findCluster(await clusterMachine(process.env), cluster.name);
  const mountinfo = await readFile(`/proc/${found.init}/mountinfo`, "utf8");
  const own = [cluster.directory, ...nodes.map((node) => `/run/${node}/`)];
  const mounts = mountinfo.split("\n").filter((line) => own.some((path) => line.includes(path)));
  const counts: Record<string, number> = {
    namespaces: mounts.filter((line) => line.includes(" - nsfs ")).length,
    overlays: mounts.filter((line) => line.includes(" - overlay ")).length,
  };
  for (const node of nodes) {
    const links = await systemIp(cluster.in(node)).links();
    counts[`${node} interfaces`] = links.length;
    const cwd = fromOutside(found, `/run/${node}`);
    counts[`${node} sandboxes`] = await count("**/sandbox.json", cwd);
    counts[`${node} reservations`] = await count("cni/reservations/**/[0-9a-f]*[.:]*", cwd);
  }
  return JSON.stringify(counts);
}

async function count(pattern: string, cwd: string): Promise<number> {
  return (await Array.fromAsync(glob(pattern, { cwd }))).length;
}
