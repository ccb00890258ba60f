import assert from "node:assert/strict";
import { test } from "node:test";
import type { Node } from "../../api/types/core.ts";
import { Address } from "../../base/net/address.ts";
import { families } from "../../base/net/family.ts";
import { Prefix } from "../../base/net/prefix.ts";
import { hostLink, hostRoutes } from "./host-access.ts";
import { resolveSettings } from "./settings.ts";
import { hostLines, routerLines, topologyOf } from "./topology.ts";

test("hosts have an address of each family, the services' first one first", () => {
  const serviceCidr = ["fd00:96::/112", "10.96.0.0/16"].map(Prefix.parse);
  const {
    servers: [server],
    nodes,
    outside,
  } = topologyOf(resolveSettings({ name: "x", nodes: 2, serviceCidr }));
  const text = [server, ...nodes, outside].map(
    ({ name, addresses }) => `${name} ${addresses.map(({ address }) => address).join(" ")}`,
  );
  assert.deepEqual(text, [
    "server fd00:111::2 192.168.111.2",
    "node-1 fd00:111::b 192.168.111.11",
    "node-2 fd00:111::c 192.168.111.12",
    "outside 2001:db8:113::a 203.0.113.10",
  ]);
});

for (const family of families) {
  test(`[NODE-5] a cluster of ${family} only has nothing of the other`, () => {
    const podCidr = [Prefix.parse(family === "IPv4" ? "10.1.0.0/16" : "fd01::/56")];
    const topology = topologyOf(resolveSettings({ name: "x", podCidr }));
    const lines = [...routerLines(topology), ...topology.nodes.flatMap(hostLines)];
    const found = lines.flatMap((line) => /address add (\S+)\//.exec(line)?.[1] ?? []);
    assert.ok(found.length > 0);
    assert.ok(found.every((text) => Address.parse(text).family === family));
  });
}

test("the API server is where it is said to be", () => {
  const settings = resolveSettings({ name: "x", advertise: [Address.parse("192.168.111.5")] });
  const {
    servers: [server],
  } = topologyOf(settings);
  assert.deepEqual(
    server.addresses.map(({ address }) => String(address)),
    ["192.168.111.5", "fd00:111::2"],
  );
  for (const taken of ["192.168.111.1", "192.168.111.11", "10.0.0.2"]) {
    assert.throws(
      () => resolveSettings({ name: "x", advertise: [Address.parse(taken)] }),
      new RegExp(
        `advertise=${taken}: the API server has an address of 192.168.111.2-192.168.111.10`,
      ),
    );
  }
});

test("the machine reaches pods by their node, and services by the first one", () => {
  const node = (index: number): Node => ({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: `node-${index}` },
    spec: { podCIDRs: [`10.244.${index}.0/24`, `fd00:244:0:${index}::/64`] },
    status: {
      addresses: [
        { type: "InternalIP", address: `192.168.111.${index}` },
        { type: "InternalIP", address: `fd00:111::${index}` },
        { type: "Hostname", address: `node-${index}` },
      ],
    },
  });
  const serviceCidr = ["10.96.0.0/16", "fd00:96::/112"].map(Prefix.parse);
  assert.deepEqual(hostRoutes({ serviceCidr }, [node(1), node(2)]), [
    "10.244.1.0/24 via 192.168.111.1",
    "fd00:244:0:1::/64 via fd00:111::1",
    "10.244.2.0/24 via 192.168.111.2",
    "fd00:244:0:2::/64 via fd00:111::2",
    "10.96.0.0/16 via 192.168.111.1",
    "fd00:96::/112 via fd00:111::1",
  ]);
});

test("interfaces of clusters with long names have short ones of their own", () => {
  const [one, other] = ["a-long-name-of-a-cluster-1", "a-long-name-of-a-cluster-2"].map(hostLink);
  assert.notEqual(one, other);
  for (const link of [one, other, hostLink("short")]) assert.ok((link ?? "").length <= 15);
});
