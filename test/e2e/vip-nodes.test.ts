// Nodes that lack a family, and nodes that come later, with the real programs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { bothFamilies, nodeOf, vips, withOnly } from "../../src/edge/vip/testing/vip.ts";
import { openVipCluster } from "../fixtures/vip-cluster.ts";
import { patientTimings } from "../fixtures/vip-node.ts";

const pair = bothFamilies.vips.api;
const targets = {
  IPv4: `https://${vips.IPv4.api}:6443/`,
  IPv6: `https://[${vips.IPv6.api}]:6443/`,
};

for (const family of ["IPv4", "IPv6"] as const) {
  test(`[VIP-3] a node with ${family} only takes no pair apart, and is there when it is the last`, async () => {
    const lacking = withOnly(family, nodeOf(0, { takesPart: [] }));
    const whole = nodeOf(1, { takesPart: [] });
    await using cluster = await openVipCluster(bothFamilies, [lacking, whole]);
    const [half, full] = cluster.nodes;
    assert.ok(half !== undefined && full !== undefined);

    assert.equal(await cluster.holderOf(pair), full, "the older node leaves the pair alone");
    const both = await cluster.startClient({ targets, perSecond: 20, timeoutMs: 5_000 });
    await both.stop();

    await full.host.unplug();
    assert.equal(await cluster.holderOf([vips[family].api], full), half);
    const one = await cluster.startClient({
      targets: { [family]: targets[family] },
      perSecond: 20,
      timeoutMs: 5_000,
    });
    await one.stop();

    await full.host.plug();
    assert.equal(await cluster.holderOf(pair), full, "the pair is together again");
  });
}

test("[VIP-7] no request fails when the Node object of the holder is deleted and made anew", async () => {
  const times = [1, 2, 3, 4].map((day) => `2026-01-0${day}T00:00:00Z`);
  const nodes = [0, 1, 2].map((n) => nodeOf(n, { takesPart: [], since: times[n] ?? "" }));
  await using cluster = await openVipCluster(bothFamilies, nodes, { timings: patientTimings });
  await cluster.settled(pair);
  const [holder, ...others] = cluster.nodes;
  assert.ok(holder !== undefined);
  const watches = await Promise.all(cluster.nodes.map((node) => node.watchAddresses()));
  const load = await cluster.startClient({
    targets,
    connections: 4,
    perSecond: 100,
    timeoutMs: 60_000,
  });
  const name = holder.name;
  const isForgotten = async () => {
    const texts = await Promise.all(others.map((node) => node.keepalivedText()));
    return texts.every((text) => !text.includes("192.168.111.20"));
  };
  cluster.shared.change((view) => ({
    ...view,
    nodes: view.nodes.filter((node) => node.name !== name),
  }));
  await until(isForgotten);
  const anew = nodeOf(0, { takesPart: [], since: times[3] ?? "" });
  cluster.shared.change((view) => ({ ...view, nodes: [...view.nodes, anew] }));
  await until(async () => cluster.shared.view.nodes[0]?.name === name);
  await until(async () => !(await isForgotten()));
  assert.equal(await cluster.holderOf(pair), holder);
  const failures = Object.values(await load.stop()).map((target) => target.failures);
  assert.deepEqual(failures, [{}, {}]);
  const changes = (await Promise.all(watches.map((watch) => watch.stop()))).flat();
  assert.deepEqual(
    changes.filter((line) => pair.some((vip) => line.includes(` ${vip}/`))),
    [],
    "the pair stayed where it was",
  );
});

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = AbortSignal.timeout(60_000);
  while (!(await condition())) {
    deadline.throwIfAborted();
    await delay(20);
  }
}

test("[VIP-3] a lone node holds its pair, and a node that joins does not disturb it", async () => {
  const [first, second] = [nodeOf(0, { takesPart: [] }), nodeOf(1, { takesPart: [] })];
  const options = { start: false, timings: patientTimings };
  await using cluster = await openVipCluster(bothFamilies, [first, second], options);
  const [lone, late] = cluster.nodes;
  assert.ok(lone !== undefined && late !== undefined);
  cluster.shared.change(() => ({ cluster: bothFamilies, nodes: [first] }));
  lone.startRuntime(cluster.shared.sourceOf(lone.name));
  assert.equal(await cluster.holderOf(pair), lone);
  const report = async (node: typeof lone) => {
    const deadline = AbortSignal.timeout(30_000);
    while (!(await node.keepalivedText()).includes("vrrp_sync_group")) {
      deadline.throwIfAborted();
      await delay(20);
    }
  };
  await report(lone);

  const watches = await Promise.all([lone, late].map((node) => node.watchAddresses()));
  cluster.shared.change(({ nodes }) => ({ cluster: bothFamilies, nodes: [...nodes, second] }));
  late.startRuntime(cluster.shared.sourceOf(late.name), { settleMs: 3_000 });
  await report(late);
  assert.equal(await cluster.holderOf(pair), lone);
  const changes = (await Promise.all(watches.map((watch) => watch.stop()))).flat();
  assert.deepEqual(
    changes.filter((line) => pair.some((vip) => line.includes(` ${vip}/`))),
    [],
    "the pair stayed where it was",
  );
});
