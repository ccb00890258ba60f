import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyAddress } from "../../../base/net/testing/arbitraries.ts";
import { addressesOf } from "./attached.ts";
import { isInvalidConfiguration } from "./error.ts";
import { convertResult, parseResult } from "./result.ts";
import { knownVersions } from "./versions.ts";

const json = {
  cniVersion: "1.0.0",
  interfaces: [
    { name: "cbr0", mac: "02:00:00:00:00:01" },
    { name: "eth0", mac: "02:00:00:00:00:02", sandbox: "/run/netns/p", mtu: 1450 },
  ],
  ips: [
    { address: "fd00::2/64", gateway: "fd00::1", interface: 1 },
    { address: "10.0.0.2/24", gateway: "10.0.0.1", interface: 1 },
    { address: "fe80::7/64", interface: 1 },
    { address: "10.0.0.1/24", interface: 0 },
  ],
  routes: [{ dst: "0.0.0.0/0", gw: "10.0.0.1", mtu: 1400 }, { dst: "fd01::/64" }],
  dns: { nameservers: ["10.0.0.10"], search: ["svc"] },
};

const attached = {
  container: "c1",
  interface: "eth0",
  namespace: "/run/netns/p",
  network: "pods",
  isDefault: true,
  result: parseResult(json, "bridge"),
};

test("[CNI-1] a result is read into values", () => {
  const { ips, routes, dns } = attached.result;
  assert.deepEqual(
    ips
      .map((ip) => `${ip.address} in ${ip.prefix} by ${ip.gateway} on ${ip.interface?.name}`)
      .slice(0, 2),
    ["fd00::2 in fd00::/64 by fd00::1 on eth0", "10.0.0.2 in 10.0.0.0/24 by 10.0.0.1 on eth0"],
  );
  assert.deepEqual(
    routes.map((route) => `${route.destination} ${route.gateway} ${route.mtu}`),
    ["0.0.0.0/0 10.0.0.1 1400", "fd01::/64 undefined undefined"],
  );
  assert.deepEqual(dns, { nameservers: ["10.0.0.10"], search: ["svc"], options: [] });
});

test("[POD-5] addresses come in the plugin's order, without link-local and the host's", () => {
  assert.deepEqual(
    addressesOf({ ...attached, serviceController: "blue" }).map((one) => ({
      ...one,
      address: one.address.toString(),
      prefix: one.prefix.toString(),
      gateway: one.gateway?.toString(),
    })),
    [
      { address: "fd00::2", prefix: "fd00::/64", gateway: "fd00::1" },
      { address: "10.0.0.2", prefix: "10.0.0.0/24", gateway: "10.0.0.1" },
    ].map((one) => ({
      ...one,
      interface: "eth0",
      network: "pods",
      isDefault: true,
      serviceController: "blue",
    })),
  );
});

test("[CNI-1] a result keeps its meaning from version to version", () => {
  const version = fc.constantFrom(...knownVersions);
  fc.assert(
    fc.property(fc.array(anyAddress()), version, version, (addresses, one, other) => {
      const ips = addresses.map((address) => ({ address: `${address.toString()}/32`, own: 1 }));
      const there = convertResult({ ips, own: "kept" }, one);
      assert.deepEqual(convertResult(convertResult(there, other), one), there);
      for (const ip of convertResult(there, other)["ips"] as Record<string, unknown>[]) {
        const family = String(ip["address"]).includes(":") ? "6" : "4";
        assert.equal(ip["version"], other < "1.0.0" ? family : undefined);
        assert.equal(ip["own"], 1);
      }
    }),
  );
});

const refused: readonly (readonly [unknown, RegExp])[] = [
  [{ ips: [{}] }, /Cannot use ips\[0\]\.address of the result of x: it is missing/],
  [{ ips: [{ address: "10.0.0.1" }] }, /Cannot use ips\[0\]\.address "10\.0\.0\.1" of .*no "\/"/],
  [{ ips: [{ address: "10.0.0.1/8", interface: 2 }] }, /ips\[0\]\.interface 2 .*there are 0/],
  [{ routes: [{ dst: "x" }] }, /Cannot use routes\[0\]\.dst "x"/],
  [{ dns: [] }, /Cannot use dns \[\] of the result of x: it must be an object/],
];
for (const [bad, message] of refused) {
  test(`[CNI-1] refused: ${JSON.stringify(bad)}`, () => {
    assert.throws(
      () => parseResult(bad, "x"),
      (error: Error) => {
        assert.match(error.message, message);
        return isInvalidConfiguration(error);
      },
    );
  });
}
