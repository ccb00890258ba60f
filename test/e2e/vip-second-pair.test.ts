// The second pair of VIPs on a running cluster, and nodes of two versions, with the real programs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { Address } from "../../src/base/net/address.ts";
import { bothFamilies, clusterOf, nodesOf, vips } from "../../src/edge/vip/testing/vip.ts";
import { openVipCluster, type VipTestCluster } from "../fixtures/vip-cluster.ts";
import { patientTimings } from "../fixtures/vip-node.ts";

const firstPair = clusterOf({ api: ["IPv4"], ingress: ["IPv4"] });
const firstVips = [vips.IPv4.api, vips.IPv4.ingress];
const secondVips = [vips.IPv6.api, vips.IPv6.ingress];
const api = `https://${vips.IPv4.api}:6443/`;

test("[VIP-5] the second pair comes and goes, and no request through the first one fails", async () => {
  const options = { timings: patientTimings };
  await using cluster = await openVipCluster(firstPair, nodesOf(3, { takesPart: [] }), options);
  await cluster.settled(firstVips);
  const [holder] = cluster.nodes;
  await everybodyKnows(cluster, firstVips);
  const watches = await Promise.all(cluster.nodes.map((node) => node.watchAddresses()));
  const steady = { connections: 20, perSecond: 1_000, timeoutMs: 60_000 };
  const load = await cluster.startClient({ targets: { api }, ...steady });
  const strangers = await cluster.startClient({
    targets: { api },
    perSecond: 20,
    timeoutMs: 60_000,
  });

  cluster.shared.change(({ nodes }) => ({ cluster: bothFamilies, nodes }));
  assert.equal(await cluster.holderOf([...firstVips, ...secondVips]), holder);
  await everybodyKnows(cluster, [...firstVips, ...secondVips]);
  await settled(cluster);
  const both = await cluster.startClient({
    targets: { api, second: `https://[${vips.IPv6.api}]:6443/` },
    perSecond: 20,
    timeoutMs: 60_000,
  });
  const throughSecond = await both.stop();

  cluster.shared.change(({ nodes }) => ({ cluster: firstPair, nodes }));
  await nobodyHolds(cluster, secondVips);
  await everybodyKnows(cluster, firstVips);
  await settled(cluster);
  assert.equal(await cluster.holderOf(firstVips), holder);

  const failures = [await load.stop(), await strangers.stop(), throughSecond].flatMap((summary) =>
    Object.values(summary).map((target) => target.failures),
  );
  assert.deepEqual(failures, [{}, {}, {}, {}]);
  const changes = (await Promise.all(watches.map((watch) => watch.stop()))).flat();
  const ofFirst = changes.filter((line) => firstVips.some((vip) => line.includes(` ${vip}/`)));
  assert.deepEqual(ofFirst, [], "the first VIPs were never taken away");
});

test("[VIP-8] nodes that know only the first pair, and nodes that know both", async () => {
  const options = { start: false };
  await using cluster = await openVipCluster(bothFamilies, nodesOf(3, { takesPart: [] }), options);
  const [oldest, ...others] = cluster.nodes;
  assert.ok(oldest !== undefined);
  oldest.startRuntime(cluster.shared.sourceOf(oldest.name, { isOld: true }));
  for (const node of others) node.startRuntime(cluster.shared.sourceOf(node.name));

  // At the start a younger node may be quicker; the oldest one has it in the end.
  await until(async () => (await cluster.holderOf(firstVips)) === oldest);
  assert.ok(others.includes(await cluster.holderOf(secondVips)), "the second pair is held, too");

  await oldest.stopRuntime();
  assert.ok(others.includes(await cluster.holderOf([...firstVips, ...secondVips])));
  oldest.startRuntime(cluster.shared.sourceOf(oldest.name));
  await everybodyKnows(cluster, [...firstVips, ...secondVips]);
  await settled(cluster);
  await cluster.holderOf([...firstVips, ...secondVips]);
});

/** Every node says that it takes part in these, and in no others. */
async function everybodyKnows(cluster: VipTestCluster, known: readonly Address[]): Promise<void> {
  const expected = known.map(String).toSorted().join();
  await until(async () =>
    cluster.shared.view.nodes.every(
      ({ takesPart }) => takesPart.map(String).toSorted().join() === expected,
    ),
  );
}

/** Every node has had time to act on what it knows last: the group comes after the instances. */
async function settled(cluster: VipTestCluster): Promise<void> {
  const expected = cluster.shared.view.cluster.vips.api.length > 1;
  await until(async () => {
    const texts = await Promise.all(cluster.nodes.map((node) => node.keepalivedText()));
    return texts.every((text) => text.includes("vrrp_sync_group") === expected);
  });
}

async function nobodyHolds(cluster: VipTestCluster, given: readonly Address[]): Promise<void> {
  await until(async () => {
    const held = await Promise.all(cluster.nodes.map((node) => node.holds(given)));
    return held.flat().length === 0;
  });
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = AbortSignal.timeout(60_000);
  while (!(await condition())) {
    deadline.throwIfAborted();
    await delay(20);
  }
}
