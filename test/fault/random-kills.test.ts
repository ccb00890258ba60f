// Components of a cluster with three control planes are killed at random, while objects are written and pods
// come and go.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Pod } from "../../src/api/types/core.ts";
import { type TestCluster, withCluster } from "../e2e/cluster.fixture.ts";
import { echoPod, runPods } from "../e2e/connectivity.fixture.ts";
import { apply, deployment, echoThrough, service } from "../e2e/ingress-up.fixture.ts";
import { ControlPlanes, startWrites } from "./control-plane.fixture.ts";
import { writtenLabel } from "./control-plane-writer.ts";
import { allComponents, type Component, Victims } from "./random-kills.fixture.ts";
import { leftBehind, logsAbout, type Trace, tracesOf } from "./traces.fixture.ts";

const kills = process.env["TANDEM_SOAK"] === "1" ? 100 : allComponents.length;
const seed = Number(process.env["TANDEM_SEED"] ?? Date.now() % 1_000_000);
const nodes = ["node-1", "control-plane-1", "control-plane-2", "control-plane-3"];

test(`[VIP-7] [IPAM-8] [CNI-6] ${kills} kills of random components: nothing acknowledged is lost, no address is given twice, nothing leaks`, {
  timeout: 3_500_000,
}, async (t) => {
  t.diagnostic(`TANDEM_SEED=${seed}`);
  const random = randomFrom(seed);
  await withCluster(
    { controlPlanes: 3, nodes: 1, ingress: true, ipam: "tandem" },
    async (cluster) => {
      await persist(cluster, "backends are there", () =>
        apply(cluster, [deployment, service("web", {})]),
      );
      await cluster.kubectl.run("create", "ingress", "web", "--rule=web.example/*=web:80");
      await runPods(cluster, [echoPod({ name: "stays", node: "node-1" })]);
      await reachIngress(cluster);
      const before = await stateOf(cluster);
      const planes = await ControlPlanes.of(cluster);
      const victims = await Victims.of(cluster);
      await using load = await startWrites(cluster, planes);
      await load.goesOn();
      const running = new Map<Component, number>();
      for (const each of allComponents) running.set(each, (await victims.of(each)).length);

      const isBack = async (component: Component) =>
        (await victims.of(component)).length >= (running.get(component) ?? 0);
      for (const [round, drawnOne] of drawn(kills, random).entries()) {
        await createPods(cluster, round);
        const component = (await victims.of(drawnOne)).length > 0 ? drawnOne : "server";
        const pid = await victims.strike(component, random);
        t.diagnostic(`${new Date().toISOString()} kill ${round}: ${component}, process ${pid}`);
        if (!inPods.has(component) || round < allComponents.length) {
          await cluster.until(
            `all processes of ${component} run again after kill ${round}`,
            async () => (await isBack(component)) || undefined,
          );
        }
        await load.goesOn();
        if (round > 0) await removePods(cluster, `round=${round - 1}`);
        assertDistinct(await podsOf(cluster));
      }

      for (const component of inPods) await untilBack(component, () => isBack(component));
      await planes.areWell();
      await load.goesOn();
      await load.stop();
      const failed = load.outcomes.filter(({ failure }) => failure !== undefined);
      t.diagnostic(
        `${load.outcomes.length - failed.length} writes acknowledged, ${failed.length} not`,
      );
      await assertStored(cluster, load.outcomes);
      await removePods(cluster, "round");
      await reachIngress(cluster);
      await assertClean(cluster, before);
    },
  );
});

/**
 * The components in containers of pods. One that has ended several times is started later each time, up to five
 * minutes, so that it is awaited at the end only.
 */
const inPods: ReadonlySet<Component> = new Set(["nginx", "dns", "ingress"]);

async function untilBack(component: Component, isBack: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 360_000;
  while (!(await isBack())) {
    if (Date.now() > deadline) throw new Error(`${component} does not run again at the end`);
    await sleep(500);
  }
}

/** Draws components at random, each as often as the others, give or take one. */
function drawn(count: number, random: () => number): readonly Component[] {
  const all = Array.from({ length: count }, (_, n) => allComponents[n % allComponents.length]);
  return all
    .map((component) => ({ component: component as Component, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ component }) => component);
}

/** A small generator (mulberry32), so that a failed run can be repeated by its seed. */
function randomFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

async function createPods(cluster: TestCluster, round: number): Promise<void> {
  const items = [0, 1].map((number) => {
    const pod = echoPod({ name: `round-${round}-${number}`, node: "node-1" });
    return { ...pod, metadata: { ...pod.metadata, labels: { round: String(round) } } };
  });
  await persist(cluster, `pods of round ${round} are made`, () =>
    cluster.kubectl.pipe({ apiVersion: "v1", kind: "List", items }, "apply", "-f", "-"),
  );
}

async function removePods(cluster: TestCluster, selector: string): Promise<void> {
  await persist(cluster, `pods of ${selector} are deleted`, () =>
    cluster.kubectl.run("delete", "pods", "-l", selector, "--now", "--wait=false"),
  );
}

async function podsOf(cluster: TestCluster): Promise<readonly Pod[]> {
  const text = await persist(cluster, "pods are listed", () =>
    cluster.kubectl.run("get", "pods", "-A", "-o", "json"),
  );
  return (JSON.parse(text) as { items: Pod[] }).items;
}

/** Asks again while the API has just lost the server that kubectl spoke to. */
async function persist<Answer>(
  cluster: TestCluster,
  what: string,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  let last: unknown;
  const asked = cluster.until(what, async () => {
    try {
      return { answer: await ask() };
    } catch (error) {
      last = error;
      return undefined;
    }
  });
  return (
    await asked.catch((error: unknown) => {
      throw new Error(`${what}: ${String(last)}`, { cause: error });
    })
  ).answer;
}

function assertDistinct(pods: readonly Pod[]): void {
  const owners = new Map<string, string>();
  for (const { metadata, spec, status } of pods) {
    const isOver = status?.phase === "Failed" || status?.phase === "Succeeded";
    if (spec.hostNetwork === true || isOver) continue;
    for (const { ip } of status?.podIPs ?? []) {
      assert.equal(owners.get(ip), undefined, `${ip} of ${metadata.name} is also another pod's`);
      owners.set(ip, metadata.name ?? "");
    }
  }
}

async function assertStored(
  cluster: TestCluster,
  outcomes: readonly { readonly name: string; readonly failure?: string }[],
): Promise<void> {
  const listed = await persist(cluster, "what was written is listed", () =>
    cluster.kubectl.run("get", "configmaps", "-l", writtenLabel, "-o", "name"),
  );
  const stored = new Set(listed.trim().split("\n"));
  const acknowledged = outcomes.filter(({ failure }) => failure === undefined);
  const lost = acknowledged.filter(({ name }) => !stored.has(`configmap/${name}`));
  assert.deepEqual(lost, []);
}

/** What the cluster has apart from the pods that come and go. */
interface State {
  readonly pods: readonly Pod[];
  readonly traces: readonly Trace[];
}

async function stateOf(cluster: TestCluster): Promise<State> {
  return { traces: await tracesOf(cluster, nodes), pods: await podsOf(cluster) };
}

/** Checks that nothing is left of pods that are gone, and that there are as many pods as before. */
async function assertClean(cluster: TestCluster, before: State): Promise<void> {
  let left: readonly Trace[] = [];
  let pods: readonly Pod[] = [];
  const settled = cluster.until("the traces of pods are gone", async () => {
    const after = await stateOf(cluster);
    ({ pods } = after);
    left = leftBehind(before.traces, after.traces, pods);
    return left.length === 0 && pods.length === before.pods.length ? true : undefined;
  });
  await settled.catch(async (error: unknown) => {
    const words = left.map((trace) => `${trace.node}: ${trace.words} (pod ${trace.pod})`);
    const present = pods.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    const logs = await logsAbout(cluster, left);
    const lines = ["Left behind:", ...words, `Pods: ${present.join(", ")}`, logs];
    throw new Error(lines.join("\n"), { cause: error });
  });
}

async function reachIngress(cluster: TestCluster): Promise<void> {
  for (const address of ["192.168.111.9", "fd00:111::9"]) {
    await echoThrough(cluster, address, "web.example");
  }
}
