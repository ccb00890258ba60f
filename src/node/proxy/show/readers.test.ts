import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { FakeIptables } from "../../../base/host/iptables.fake.ts";
import { FakeNft } from "../../../base/host/nft.fake.ts";
import { type Family, families } from "../../../base/net/family.ts";
import { iptablesProxier } from "../iptables/proxier.ts";
import { ipvsProxier } from "../ipvs/proxier.ts";
import { openMachine, showAddresses } from "../ipvs/testing/machine.ts";
import { nftablesProxier } from "../nftables/proxier.ts";
import {
  addressOf,
  frontendsOf,
  openState,
  put,
  service,
  settingsOf,
  slices,
} from "../plan/testing/scenario.ts";
import type { Proxier } from "../proxier.ts";
import type { KernelPlace, ReadPlaces } from "./kernel-place.ts";
import { iptablesReader } from "./read-iptables.ts";
import { ipvsReader } from "./read-ipvs.ts";
import { nftablesReader } from "./read-nftables.ts";

const backends: Record<string, (family: Family) => { proxier: Proxier; read: ReadPlaces }> = {
  nftables: (family) => {
    const nft = new FakeNft();
    const proxier = nftablesProxier({ nft, settings: settingsOf(family) });
    return { proxier, read: nftablesReader(nft, family) };
  },
  iptables: (family) => {
    const iptables = new FakeIptables(family);
    const proxier = iptablesProxier({ iptables, settings: settingsOf(family) });
    return { proxier, read: iptablesReader(iptables) };
  },
  ipvs: (family) => {
    const machine = openMachine();
    showAddresses(machine, [addressOf("node", family).toString()], "eth0");
    const proxier = ipvsProxier({ ...machine, settings: settingsOf(family) });
    return { proxier, read: ipvsReader(machine, family) };
  },
};

const shop = [
  service({
    lb: ["lb"],
    type: "LoadBalancer",
    externalTrafficPolicy: "Local",
    loadBalancerSourceRanges: ["203.0.0.0/24", "2001:db8::/80"],
    ports: [{ name: "http", port: 80, nodePort: 30080 }],
    sessionAffinity: "ClientIP",
  }),
  ...slices(["a", "b"], { ports: [{ name: "http", port: 8080, protocol: "TCP" }] }),
  service({ name: "web-2", cluster: ["other"] }),
];

/** Writes a frontend as one line, much as people would be shown it. */
function text({ owner, address, protocol, port, leads, ...rest }: KernelPlace): string {
  const to = leads.map(({ clients, verdict, endpoints }) =>
    [clients, verdict, ...endpoints].join(" "),
  );
  const affinity = rest.affinitySeconds === undefined ? "" : `, for ${rest.affinitySeconds} s`;
  const from = rest.allowedSources === undefined ? "" : `, from ${rest.allowedSources.join(" ")}`;
  return `${owner} ${address ?? "node"} ${port}/${protocol}: ${to.join("; ")}${affinity}${from}`;
}

for (const [kind, open] of Object.entries(backends)) {
  describe(kind, () => {
    for (const family of families) {
      const isFirst = family === "IPv4";
      const [a, b] = isFirst
        ? ["10.1.1.10:8080", "10.1.2.11:8080"]
        : ["[fd00:1::10a]:8080", "[fd00:1::20b]:8080"];
      const [cluster, lb, other, sources] = isFirst
        ? ["10.96.0.1", "198.51.100.7", "10.96.0.2", "203.0.0.0/24"]
        : ["fd00:96::1", "2001:db8:100::7", "fd00:96::2", "2001:db8::/80"];
      test(`${family}: a service is found again in the kernel`, async () => {
        const state = openState();
        put(state, shop);
        state.takeChange();
        const { proxier, read } = open(family);
        await proxier.replace(frontendsOf(state, family));
        const expected = [
          `shop/web:http ${cluster} 80/tcp: all translate ${a} ${b}, for 10800 s`,
          `shop/web:http ${lb} 80/tcp: inside translate ${a} ${b}; outside translate ${a}, for 10800 s, from ${sources}`,
          `shop/web:http node 30080/tcp: inside translate ${a} ${b}; outside translate ${a}, for 10800 s`,
        ];
        assert.deepEqual((await read("shop/web")).map(text).toSorted(), expected.toSorted());
        assert.deepEqual((await read("shop/web-2")).map(text), [
          `shop/web-2:80 ${other} 80/tcp: all refuse`,
        ]);
        assert.deepEqual(await read("shop/we"), []);
      });
    }
  });
}
