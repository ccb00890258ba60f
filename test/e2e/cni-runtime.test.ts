// The runtime with the distribution's plugins and both IPAM plugins, in real namespaces.
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { addressesOf } from "../../src/node/network/cni/attached.ts";
import {
  type NetworkConfiguration,
  parseNetwork,
} from "../../src/node/network/cni/configuration.ts";
import { isNotAvailable } from "../../src/node/network/cni/error.ts";
import { assertReaches } from "../fixtures/ipam-reach.ts";
import { type IpamKind, openCniSandbox } from "./cni.fixture.ts";

const openNode = await openCniSandbox();
const timeout = 120_000;
const ipams: readonly IpamKind[] = ["host-local", "tandem-ipam"];

function network(cniVersion: string, ...plugins: readonly object[]): NetworkConfiguration {
  return parseNetwork({ cniVersion, name: "pods", plugins }, { where: "test" });
}

const bridge = { type: "bridge", bridge: "cbr0", isGateway: true, isDefaultGateway: true };

for (const cniVersion of ["0.3.1", "0.4.0", "1.0.0", "1.1.0"]) {
  for (const kind of ipams) {
    test(`[CNI-1] [CNI-2] bridge with ${kind} at ${cniVersion}: ADD, CHECK and DEL across a restart`, {
      timeout,
    }, async () => {
      const node = await openNode(`bridge-${kind}-${cniVersion}`);
      const pods = network(cniVersion, { ...bridge, ipam: node.ipam(kind) });
      const before = await node.census();
      const [a, b] = await Promise.all([node.pod("a"), node.pod("b")]);
      const runtime = node.runtime();
      const [one, other] = await Promise.all(
        [a, b].map(async ({ commands, attachment }) => {
          const found = addressesOf(await runtime.add(pods, attachment));
          assert.deepEqual(found.map(({ address }) => address.family).toSorted(), ["IPv4", "IPv6"]);
          return { commands, addresses: found.map(({ address }) => address.toString()) };
        }),
      );
      assert.ok(one && other);
      await assertReaches(one, other);
      await assertReaches(other, one);
      assert.deepEqual(await node.census(), {
        links: before.links + 3,
        reservations: 4,
        remembered: 2,
      });

      const restarted = node.runtime();
      assert.equal(await restarted.check(a.attachment), cniVersion >= "0.4.0");
      for (const { attachment } of [a, b]) await restarted.delete(attachment);
      await restarted.delete(a.attachment);
      assert.deepEqual(await node.census(), { ...before, links: before.links + 1 });
    });
  }
}

test("[CNI-2] ptp and loopback in one chain each", { timeout }, async () => {
  const node = await openNode("ptp");
  const before = await node.census();
  const runtime = node.runtime();
  const { commands, attachment } = await node.pod("a");
  const [alone, loopback] = [
    network("1.0.0", { type: "ptp", mtu: 1400, ipam: node.ipam("tandem-ipam") }),
    parseNetwork({ cniVersion: "1.0.0", name: "lo", type: "loopback" }, { where: "test" }),
  ];
  await runtime.add(loopback, { ...attachment, interface: "lo" });
  await runtime.add(alone, attachment);
  const { stdout } = await commands.run(["ip", "-oneline", "link", "show"]);
  assert.match(stdout, /eth0@.* mtu 1400 /);
  assert.match(stdout, /lo: <LOOPBACK,UP/);
  await runtime.deleteAll(attachment.container);
  assert.deepEqual(await node.census(), before);
});

test("[CNI-5] a pod whose namespace died gets the same addresses, unless they are taken", {
  timeout,
}, async () => {
  for (const kind of ipams) {
    const node = await openNode(`again-${kind}`);
    const runtime = node.runtime();
    const capabilities = { ips: true };
    const pods = network("1.0.0", { ...bridge, capabilities, ipam: node.ipam(kind) });
    const attach = async (name: string, like?: Awaited<ReturnType<typeof runtime.add>>) => {
      const { attachment, die } = await node.pod(name);
      const preferredAddresses = like ? addressesOf(like).map(({ address }) => address) : [];
      return { ...(await runtime.add(pods, { ...attachment, preferredAddresses })), die };
    };
    const addresses = (attached: Awaited<ReturnType<typeof attach>>) =>
      addressesOf(attached)
        .map(({ address }) => address.toString())
        .toSorted();
    await attach("first");
    const lost = await attach("lost");
    await lost.die();
    await runtime.delete(lost);
    const back = await attach("back", lost);
    assert.deepEqual(addresses(back), addresses(lost));
    const late = await attach("late", lost);
    assert.equal(addresses(late).length, 2);
    assert.equal(
      addresses(late).some((one) => addresses(lost).includes(one)),
      false,
    );
    assert.equal((await node.census()).reservations, 6);
  }
});

test("[CNI-1] GC and STATUS reach tandem-ipam behind a bridge that has neither", {
  timeout,
}, async () => {
  const node = await openNode("collect");
  const runtime = node.runtime();
  const ipam = node.ipam("tandem-ipam", ["10.67.0.0/29", "fd67::/64"]);
  const pods = network("1.1.0", { ...bridge, ipam });
  const places = await Promise.all(["a", "b", "c"].map((name) => node.pod(name)));
  await runtime.status(pods);
  for (const { attachment } of places) await runtime.add(pods, attachment);
  const small = network("1.1.0", {
    ...bridge,
    ipam: { ...ipam, ipRanges: [{ range: "10.67.0.0/29", range_end: "10.67.0.4" }] },
  });
  await assert.rejects(runtime.status(small), isNotAvailable);

  // One that the runtime knows of, and one that only the IPAM plugin does.
  const [kept, , forgotten] = places.map(({ attachment }) => attachment);
  assert.ok(kept && forgotten);
  await rm(join(node.cacheDirectory, `${forgotten.container},eth0,pods.json`));
  await runtime.collect(pods, async () => [kept]);
  const after = await node.census();
  assert.deepEqual([after.reservations, after.remembered], [2, 1]);
  assert.equal(await runtime.check(kept), true);
});
