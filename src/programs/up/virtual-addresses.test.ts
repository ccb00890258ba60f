import assert from "node:assert/strict";
import { test } from "node:test";
import { Address } from "../../base/net/address.ts";
import { families } from "../../base/net/family.ts";
import { Prefix } from "../../base/net/prefix.ts";
import { UsageError } from "../../base/program/errors.ts";
import { type GivenSettings, readSettings, resolveSettings, settingsText } from "./settings.ts";
import { topologyOf } from "./topology.ts";

const addresses = (text: string) => text.split(",").map(Address.parse);
const prefixes = (text: string) => text.split(",").map(Prefix.parse);

const several = (given: Partial<GivenSettings> = {}) =>
  resolveSettings({ name: "x", controlPlanes: 3, ...given });

test("a cluster has one control plane and no virtual addresses unless it is told otherwise", () => {
  const { controlPlanes, apiVips, ingressVips, store } = resolveSettings({ name: "x" });
  assert.deepEqual(
    { controlPlanes, apiVips, ingressVips, store },
    { controlPlanes: 1, apiVips: [], ingressVips: [], store: "embedded" },
  );
});

const usual: readonly [podCidr: string, apiVips: string, ingressVips: string][] = [
  ["10.1.0.0/16", "192.168.111.8", "192.168.111.9"],
  ["fd01::/56", "fd00:111::8", "fd00:111::9"],
  ["10.1.0.0/16,fd01::/56", "192.168.111.8,fd00:111::8", "192.168.111.9,fd00:111::9"],
  ["fd01::/56,10.1.0.0/16", "fd00:111::8,192.168.111.8", "fd00:111::9,192.168.111.9"],
];

for (const [podCidr, apiVips, ingressVips] of usual) {
  test(`[VIP-3] with pods in ${podCidr}, virtual addresses are ${apiVips}`, () => {
    const settings = several({ podCidr: prefixes(podCidr) });
    assert.equal(settings.apiVips.join(), apiVips);
    assert.equal(settings.ingressVips.join(), ingressVips);
    assert.equal(settings.store, "etcd");
  });
}

test("virtual addresses that are named stay, beside usual ones, and come back with the data", () => {
  const settings = several({ apiVips: addresses("fd00:111::5,192.168.111.5") });
  assert.equal(settings.apiVips.join(), "fd00:111::5,192.168.111.5");
  assert.equal(settings.ingressVips.join(), "fd00:111::9,192.168.111.9");
  const stored = readSettings(settingsText(settings));
  assert.deepEqual(resolveSettings({ name: "x" }, stored), settings);
  assert.throws(
    () => resolveSettings({ name: "x", controlPlanes: 5 }, stored),
    /controlPlanes=5: cluster x has controlPlanes=3/,
  );
  assert.throws(
    () => resolveSettings({ name: "x", apiVips: addresses("192.168.111.6") }, stored),
    /apiVips=192\.168\.111\.6: cluster x has apiVips=fd00:111::5,192\.168\.111\.5/,
  );
});

for (const family of families) {
  test(`one virtual address for each use, of ${family}, is enough in a cluster of both`, () => {
    const apiVips = addresses(family === "IPv4" ? "192.168.111.5" : "fd00:111::5");
    const settings = several({ apiVips });
    assert.deepEqual(settings.apiVips, apiVips);
    assert.deepEqual(
      settings.ingressVips.map((vip) => vip.family),
      [family],
    );
  });
}

const places = "192.168.111.5-192.168.111.10, fd00:111::5-fd00:111::a";

const refusals: readonly (readonly [Partial<GivenSettings>, string])[] = [
  [{ controlPlanes: 2 }, "controlPlanes=2: there can be 1, 3 or 5"],
  [{ controlPlanes: 7 }, "controlPlanes=7: there can be 1, 3 or 5"],
  [
    { controlPlanes: 1, apiVips: addresses("192.168.111.8") },
    "apiVips=192.168.111.8: virtual addresses are for several control planes",
  ],
  [
    { controlPlanes: 1, ingressVips: addresses("fd00:111::9") },
    "ingressVips=fd00:111::9: virtual addresses are for several control planes",
  ],
  [{ store: "embedded" }, "store=embedded: several control planes share an etcd"],
  [
    { advertise: addresses("192.168.111.7") },
    "advertise=192.168.111.7: several control planes are reached at apiVips",
  ],
  // Addresses of no range, of the router, of servers and of nodes.
  ...["10.0.0.8", "192.168.111.1", "192.168.111.2", "fd00:111::4", "192.168.111.11"].map(
    (vip) =>
      [
        { ingressVips: addresses(vip) },
        `ingressVips=${vip}: virtual addresses are among ${places}`,
      ] as const,
  ),
  [
    { controlPlanes: 5, apiVips: addresses("192.168.111.6") },
    "apiVips=192.168.111.6: virtual addresses are among 192.168.111.7-192.168.111.10, fd00:111::7-fd00:111::a",
  ],
  [
    { apiVips: addresses("192.168.111.5,192.168.111.6") },
    "apiVips=192.168.111.6: there is one of IPv4 before it",
  ],
  [
    { apiVips: addresses("192.168.111.5"), ingressVips: addresses("192.168.111.6,fd00:111::6") },
    "ingressVips=192.168.111.6,fd00:111::6: there are as many as of apiVips=192.168.111.5",
  ],
  [
    { ingressVips: addresses("192.168.111.8,fd00:111::9") },
    "ingressVips=192.168.111.8: it is one of apiVips, too",
  ],
  [
    { podCidr: prefixes("10.1.0.0/16"), apiVips: addresses("fd00:111::8") },
    "apiVips=fd00:111::8: virtual addresses are among 192.168.111.5-192.168.111.10",
  ],
];

for (const [given, message] of refusals) {
  test(`[VIP-1] refused: ${message}`, () => {
    assert.throws(
      () => several(given),
      (error) => error instanceof UsageError && error.message === `Cannot use ${message}`,
    );
  });
}

for (const controlPlanes of [3, 5]) {
  test(`${controlPlanes} control planes are nodes as well, and nobody has an address of another`, () => {
    const settings = several({ controlPlanes, nodes: 2 });
    const { servers, nodes } = topologyOf(settings);
    assert.deepEqual(
      nodes.map(({ name }) => name),
      [...servers.map(({ name }) => name), "node-1", "node-2"],
    );
    const own = nodes.flatMap((host) => host.addresses.map(({ address }) => String(address)));
    const all = [...own, ...settings.apiVips.map(String), ...settings.ingressVips.map(String)];
    assert.equal(new Set(all).size, 2 * (controlPlanes + 2 + 2));
  });
}
