// Real keepalived and haproxy: whatever happens to the holder of a pair, requests over both families
// find the API again, and the pair ends on one node.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { families } from "../../src/base/net/family.ts";
import { bothFamilies, nodesOf, vips } from "../../src/edge/vip/testing/vip.ts";
import { openVipCluster } from "../fixtures/vip-cluster.ts";
import { patientTimings, type TestNode } from "../fixtures/vip-node.ts";

const pair = bothFamilies.vips.api;
const targets = {
  IPv4: `https://${vips.IPv4.api}:6443/`,
  IPv6: `https://[${vips.IPv6.api}]:6443/`,
};

const cluster = await openVipCluster(bothFamilies, nodesOf(3, { takesPart: [] }));
after(() => cluster[Symbol.asyncDispose]());

interface Fault {
  readonly name: string;
  readonly strike: (holder: TestNode) => Promise<void>;
  readonly mend: (holder: TestNode) => Promise<void>;
  /** Whether the pair has to move. */
  readonly moves: boolean;
  /** The holder keeps what it has, and nobody hears of it. */
  readonly cutsOff?: boolean;
}

const nothing = async () => undefined;

const faults: readonly Fault[] = [
  {
    name: "its keepalived is killed",
    strike: async (holder) => {
      await holder.signal("keepalived", "KILL");
      const deadline = AbortSignal.timeout(30_000);
      // What it left behind is taken away before it is started again.
      while ((await holder.holds(pair)).length > 0) deadline.throwIfAborted();
    },
    mend: nothing,
    moves: false,
  },
  {
    name: "it is stopped",
    strike: (holder) => holder.stopRuntime(),
    mend: async (holder) => holder.startRuntime(cluster.shared.sourceOf(holder.name)),
    moves: true,
  },
  {
    name: "the whole node is lost",
    strike: (holder) => holder.host.unplug(),
    mend: (holder) => holder.host.plug(),
    moves: true,
    cutsOff: true,
  },
  {
    name: "its haproxy is killed",
    strike: (holder) => holder.signal("haproxy", "KILL"),
    mend: nothing,
    moves: false,
  },
  {
    name: "its haproxy hangs",
    strike: (holder) => holder.signal("haproxy", "STOP"),
    mend: (holder) => holder.signal("haproxy", "CONT"),
    moves: true,
  },
  {
    name: "its API server is killed",
    strike: (holder) => holder.killBackend(),
    mend: (holder) => holder.startBackend(),
    moves: false,
  },
];

for (const { name, strike, mend, moves, cutsOff = false } of faults) {
  test(`[VIP-3, VIP-7] requests over both families go on when ${name}`, async (t) => {
    const before = await cluster.holderOf(pair);
    const load = await cluster.startClient({ targets, perSecond: 20, timeoutMs: 1_000 });
    await strike(before);
    const lost = cutsOff ? before : undefined;
    const deadline = AbortSignal.timeout(30_000);
    let holder = await cluster.holderOf(pair, lost);
    while (holder === before) {
      if (!moves) break;
      holder = await cluster.holderOf(pair, lost);
      deadline.throwIfAborted();
    }
    const again = await cluster.startClient({ targets, perSecond: 20, timeoutMs: 1_000 });
    await again.stop();
    for (const [family, { longestSilenceMs }] of Object.entries(await load.stop())) {
      t.diagnostic(`${family}: silent for ${Math.round(longestSilenceMs)} ms`);
    }
    await mend(before);
    await cluster.settled(pair);
    const mended = await cluster.startClient({ targets, perSecond: 20, timeoutMs: 1_000 });
    await mended.stop();
  });
}

test("[VIP-7] API servers of both families are behind the VIPs", async () => {
  const options = { timings: patientTimings };
  const nodes = nodesOf(3, { takesPart: [] });
  await using calm = await openVipCluster(bothFamilies, nodes, options);
  await calm.settled(pair);
  const requests = { targets, perSecond: 50, timeoutMs: 30_000 };
  const load = await calm.startClient(requests);
  const everybody = calm.nodes.map(({ name }) => name).toSorted();
  // One short run reaches some of them; in the end everybody has answered over both families.
  const answered = { IPv4: new Set<string>(), IPv6: new Set<string>() };
  const deadline = AbortSignal.timeout(60_000);
  while (Object.values(answered).some((names) => names.size < everybody.length)) {
    deadline.throwIfAborted();
    const client = await calm.startClient(requests);
    const seen = await client.stop();
    for (const family of families) {
      for (const name of Object.keys(seen[family]?.answeredBy ?? {})) answered[family].add(name);
    }
  }
  const summary = await load.stop();
  assert.deepEqual(
    Object.values(summary).map(({ failures }) => failures),
    [{}, {}],
  );
});
