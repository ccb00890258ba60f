// tandem-ipam as the IPAM of the distribution's plugins, in real namespaces, over both families.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { Commands } from "../../src/base/host/command.ts";
import { openDatastore } from "../../src/node/ipam/datastore/open.ts";
import { addressesOf, assertResult, callCni, type Json } from "../fixtures/ipam.ts";
import { assertReaches } from "../fixtures/ipam-reach.ts";
import { openSandbox } from "./host/sandbox.ts";

const sandbox = await openSandbox();
const versions = ["0.3.0", "0.3.1", "0.4.0", "1.0.0"];

interface Kind {
  readonly network: Json;
  readonly ipam: Json;
  /** Makes ready what the plugin expects on a node. */
  prepare(node: Commands): Promise<void>;
}

const gateways = {
  ipRanges: [
    { range: "10.77.0.0/24", gateway: "10.77.0.1" },
    { range: "fd77::/64", gateway: "fd77::1" },
  ],
};

const kinds: Record<string, Kind> = {
  bridge: {
    network: { bridge: "cni77", isGateway: true, ipMasq: false },
    ipam: { range: "10.77.0.0/24", ipRanges: [{ range: "fd77::/64" }] },
    prepare: async () => undefined,
  },
  ptp: { network: {}, ipam: gateways, prepare: async () => undefined },
  macvlan: {
    network: { master: "uplink", mode: "bridge" },
    ipam: gateways,
    async prepare(node) {
      await node.run("ip link add uplink type veth peer name wire".split(" "));
      await node.run("ip link set wire up".split(" "));
      await node.run("ip link set uplink up".split(" "));
    },
  },
};

for (const [plugin, kind] of Object.entries(kinds)) {
  for (const cniVersion of versions) {
    const name = `${plugin}-${cniVersion.replaceAll(".", "")}`;
    test(`[CNI-2] [IPAM-3] ${plugin} at ${cniVersion}: two pods reach each other over both families`, {
      timeout: 120_000,
    }, async () => {
      const dataDir = join(sandbox.scratch, name);
      const node = await sandbox.enter(name);
      await kind.prepare(node.commands);
      const network = {
        cniVersion,
        name,
        type: plugin,
        ...kind.network,
        ipam: { type: "tandem-ipam", datastore: "local", data_dir: dataDir, ...kind.ipam },
      };
      const pods = await Promise.all(["a", "b"].map((pod) => sandbox.enter(`${name}-${pod}`)));
      for (const { commands } of [node, ...pods]) await skipDuplicateDetection(commands);
      const attach = async (command: "ADD" | "CHECK" | "DEL", index: number, more: Json = {}) => {
        const answer = await callCni(node.commands, {
          plugin,
          command,
          network: { ...network, ...more },
          container: `c${index}`,
          netns: pods[index]?.path ?? "",
          pod: `pod-${index}`,
        });
        assert.ok(!answer.failed, JSON.stringify(answer.json));
        return answer.json;
      };

      const results = [await attach("ADD", 0), await attach("ADD", 1)];
      for (const result of results) assertResult(result, cniVersion);
      const [first = [], second = []] = results.map((result) => addressesOf(result).toSorted());
      assert.deepEqual(
        [first, second],
        [
          ["10.77.0.2", "fd77::2"],
          ["10.77.0.3", "fd77::3"],
        ],
      );
      const [one, other] = pods.map(({ commands }, index) => ({
        commands,
        addresses: [first, second][index] ?? [],
      }));
      assert.ok(one && other);
      await assertReaches(one, other);
      await assertReaches(other, one);

      if (cniVersion >= "0.4.0") await attach("CHECK", 0, { prevResult: results[0] });
      assert.equal(await held(dataDir), 4);
      for (const index of [0, 1]) await attach("DEL", index, { prevResult: results[index] });
      assert.equal(await held(dataDir), 0);
      await attach("DEL", 0);
    });
  }
}

test("[IPAM-5] [CNI-2] tandem-ipam at 1.1.0: GC and STATUS", async () => {
  const node = await sandbox.enter("direct");
  const dataDir = join(sandbox.scratch, "direct");
  const network = {
    cniVersion: "1.1.0",
    name: "direct",
    type: "bridge",
    ipam: {
      type: "whereabouts",
      datastore: "local",
      data_dir: dataDir,
      ipRanges: [{ range: "10.78.0.0/30" }, { range: "fd78::/64" }],
    },
  };
  const call = (command: "ADD" | "GC" | "STATUS", container?: string, more: Json = {}) =>
    callCni(node.commands, {
      command,
      network: { ...network, ...more },
      ...(container === undefined ? {} : { container, netns: node.path }),
    });
  assert.equal((await call("STATUS")).failed, false);
  for (const container of ["c1", "c2"]) {
    assertResult((await call("ADD", container)).json, "1.1.0");
  }
  const full = await call("STATUS");
  assert.equal(full.json.code, 50);
  const valid = [{ containerID: "c2", ifname: "eth0" }];
  await call("GC", undefined, { "cni.dev/valid-attachments": valid });
  assert.equal(await held(dataDir), 2);
  assert.equal((await call("STATUS")).failed, false);
  assert.deepEqual(addressesOf((await call("ADD", "c3")).json), ["10.78.0.1", "fd78::1"]);
});

/** It takes a second or two for every address, which is no matter of these tests. */
async function skipDuplicateDetection(commands: Commands): Promise<void> {
  const keys = ["all", "default"].map((which) => `net.ipv6.conf.${which}.accept_dad=0`);
  await commands.run(["sysctl", "--quiet", "--write", ...keys]);
}

async function held(dataDir: string): Promise<number> {
  const datastore = await openDatastore({ type: "local", dataDir });
  try {
    return (await datastore.reservations()).length;
  } finally {
    await datastore.close();
  }
}
