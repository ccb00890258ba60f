import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Address } from "../../base/net/address.ts";
import { Prefix } from "../../base/net/prefix.ts";
import { UsageError } from "../../base/program/errors.ts";
import { type GivenSettings, readSettings, resolveSettings, settingsText } from "./settings.ts";

const list = (text: string) => text.split(",").map(Prefix.parse);

test("a cluster is dual-stack with three nodes unless it is told otherwise", () => {
  const settings = resolveSettings({ name: "tandem" });
  assert.equal(settings.nodes, 3);
  assert.deepEqual(settings.podCidr.map(String), ["10.244.0.0/16", "fd00:10:244::/56"]);
});

for (const podCidr of ["10.1.0.0/16", "fd01::/56", "fd01::/56,10.1.0.0/16"]) {
  test(`[NODE-5] other ranges have the families and the order of ${podCidr}`, () => {
    const settings = resolveSettings({ name: "x", podCidr: list(podCidr) });
    const wanted = list(podCidr).map(({ family }) => family);
    for (const range of [settings.serviceCidr, settings.nodeCidr]) {
      assert.deepEqual(
        range.map(({ family }) => family),
        wanted,
      );
    }
  });
}

for (const [serviceCidr, podCidr] of [
  ["fd00:10:96::/112", "fd00:10:244::/56,10.244.0.0/16"],
  ["10.96.0.0/16", "10.244.0.0/16,fd00:10:244::/56"],
]) {
  test(`[NODE-5] [SVC-3] pods have both families under the one service range ${serviceCidr}`, () => {
    const settings = resolveSettings({ name: "x", serviceCidr: list(serviceCidr ?? "") });
    assert.equal(settings.serviceCidr.join(), serviceCidr);
    assert.equal(settings.podCidr.join(), podCidr);
    assert.equal(settings.nodeCidr.length, 2);
  });
}

const refusals: readonly (readonly [Partial<GivenSettings>, RegExp])[] = [
  [{ name: "A" }, /name=A:/],
  [{ name: "x".repeat(31) }, /name=x+:/],
  [
    { podCidr: list("10.1.0.0/16,10.2.0.0/16") },
    /podCidr=10\.1\.0\.0\/16,10\.2\.0\.0\/16: .*both IPv4/,
  ],
  [
    { podCidr: list("10.96.0.0/12") },
    /podCidr=10\.96\.0\.0\/12: it overlaps serviceCidr=10\.96\.0\.0\/16/,
  ],
  [
    { podCidr: list("192.168.0.0/16") },
    /podCidr=192\.168\.0\.0\/16: it overlaps nodeCidr=192\.168\.111\.0\/24/,
  ],
  [
    { podCidr: list("10.1.0.0/23"), nodes: 3 },
    /podCidr=10\.1\.0\.0\/23: it has room for 2 of \/24, but there are 3 nodes/,
  ],
  [{ podCidr: list("10.1.0.0/25") }, /podCidr=10\.1\.0\.0\/25: /],
  [
    { nodeCidr: list("10.1.0.0/28"), podCidr: list("10.2.0.0/16"), nodes: 9 },
    /nodeCidr=10\.1\.0\.0\/28: it is too small for 9 nodes/,
  ],
  [{ serviceCidr: list("10.96.0.0/29") }, /serviceCidr=10\.96\.0\.0\/29: it has 8 addresses/],
  [
    { podCidr: list("10.1.0.0/16"), serviceCidr: list("fd00:96::/112") },
    /serviceCidr=fd00:96::\/112: there is no range of its family/,
  ],
  [{ podCidr: [] }, /podCidr=: it must have at least one/],
];

for (const [given, message] of refusals) {
  test(`[KADM-2] refused: ${JSON.stringify(given)}`, () => {
    assert.throws(
      () => resolveSettings({ name: "x", ...given }),
      (error) => error instanceof UsageError && message.test(error.message),
    );
  });
}

test("a cluster that comes up again is as it was, with nodes added if wanted", () => {
  const stored = resolveSettings({ name: "x", podCidr: list("fd01::/56"), route: "vxlan" });
  assert.deepEqual(resolveSettings({ name: "x" }, stored), stored);
  assert.equal(resolveSettings({ name: "x", nodes: 4 }, stored).nodes, 4);
  assert.throws(() => resolveSettings({ name: "x", nodes: 2 }, stored), /nodes=2: .* has 3 nodes/);
  assert.throws(
    () => resolveSettings({ name: "x", podCidr: list("fd02::/56") }, stored),
    /podCidr=fd02::\/56: cluster x has podCidr=fd01::\/56/,
  );
});

test("[VIP-9] a cluster that comes up again may have another second virtual address, but not another first", () => {
  const vips = (text: string) => text.split(",").map(Address.parse);
  const one = { apiVips: vips("192.168.111.5"), ingressVips: vips("192.168.111.6") };
  const two = {
    apiVips: vips("192.168.111.5,fd00:111::5"),
    ingressVips: vips("192.168.111.6,fd00:111::6"),
  };
  const stored = resolveSettings({ name: "x", controlPlanes: 3, ...one });
  const grown = resolveSettings({ name: "x", ...two }, stored);
  assert.deepEqual(grown.apiVips.map(String), ["192.168.111.5", "fd00:111::5"]);
  assert.deepEqual(resolveSettings({ name: "x", ...one }, grown), stored);
  assert.throws(
    () => resolveSettings({ name: "x", apiVips: vips("192.168.111.7,fd00:111::5") }, grown),
    /apiVips=192\.168\.111\.7,fd00:111::5: cluster x has apiVips=192\.168\.111\.5/,
  );
});

test("settings are kept as they are", () => {
  fc.assert(
    fc.property(fc.boolean(), fc.integer({ min: 1, max: 20 }), (hostAccess, nodes) => {
      const settings = resolveSettings({ name: "x", hostAccess, nodes });
      assert.deepEqual(readSettings(settingsText(settings)), settings);
    }),
  );
});
