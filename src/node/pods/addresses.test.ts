import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { validateAddresses } from "../../api/kinds/pod/addresses.ts";
import { claimantOf, isDefaultAddress } from "../../api/kinds/pod/properties.ts";
import { Address } from "../../base/net/address.ts";
import { families, otherFamily } from "../../base/net/family.ts";
import { anyAddress } from "../../base/net/testing/arbitraries.ts";
import { hostIPsOf, podIPsOf } from "./addresses.ts";
import type { PodAddress } from "./port.ts";

function given(address: string, parts: Partial<PodAddress> = {}): PodAddress {
  return {
    address: Address.parse(address),
    interface: "eth0",
    network: "cluster",
    isDefault: true,
    ...parts,
  };
}

const podAddress = fc.record(
  {
    address: anyAddress(),
    interface: fc.constantFrom("eth0", "net1"),
    network: fc.constantFrom("cluster", "blue", "team/green"),
    isDefault: fc.boolean(),
    gateway: anyAddress(),
    serviceController: fc.constant("blue"),
  },
  { requiredKeys: ["address", "interface", "network", "isDefault"] },
);

for (const firstFamily of families) {
  test(`[POD-6] the ${firstFamily} address is first, whatever order the plugin answered in`, () => {
    const pair = [given("10.0.0.5"), given("fd00::5")];
    for (const answer of [pair, pair.toReversed()]) {
      const [first, second] = podIPsOf(answer, firstFamily).map(({ ip }) => Address.parse(ip));
      assert.equal(first?.family, firstFamily);
      assert.equal(second?.family, otherFamily(firstFamily));
    }
  });
}

test("[POD-5] [PROP-4] the default network's name is on its addresses, further addresses are recorded with their network, link-local ones never", () => {
  const found = podIPsOf(
    [
      given("10.0.0.5", { gateway: Address.parse("10.0.0.1") }),
      given("10.0.0.6"),
      given("fe80::1"),
      given("192.168.7.2", { interface: "net1", network: "team/blue", isDefault: false }),
    ],
    "IPv6",
  );
  const network = "tandem.internal/network";
  const link = "tandem.internal/interface";
  assert.deepEqual(found, [
    {
      ip: "10.0.0.5",
      properties: {
        "tandem.internal/default-network": "cluster",
        [link]: "eth0",
        "tandem.internal/gateway": "10.0.0.1",
      },
    },
    { ip: "10.0.0.6", properties: { [network]: "cluster", [link]: "eth0" } },
    { ip: "192.168.7.2", properties: { [network]: "team/blue", [link]: "net1" } },
  ]);
});

test("[POD-5] [PROP-4] [PROP-5] whatever plugins answer, the API takes it and nothing is lost", () => {
  fc.assert(
    fc.property(fc.array(podAddress), fc.constantFrom(...families), (answer, firstFamily) => {
      const podIPs = podIPsOf(answer, firstFamily);
      const link = answer.filter(({ address }) => !address.isLinkLocal);
      assert.deepEqual(
        new Set(podIPs.map(({ ip }) => ip)),
        new Set(link.map(({ address }) => String(address))),
      );
      const tooBroad = validateAddresses({ podIPs }).filter(({ detail }) =>
        detail?.includes("no more than one"),
      );
      assert.deepEqual(tooBroad, []);
      for (const podIP of podIPs) {
        const source = link.find(({ address }) => String(address) === podIP.ip);
        assert.equal(claimantOf(podIP), source?.serviceController);
        if (isDefaultAddress(podIP)) assert.ok(source?.isDefault);
      }
    }),
  );
});

test("[POD-7] a node has one address of each family", () => {
  const addresses = ["fe80::1", "192.0.2.1", "192.0.2.2", "2001:db8::1"].map(Address.parse);
  assert.deepEqual(hostIPsOf(addresses, "IPv6"), [{ ip: "2001:db8::1" }, { ip: "192.0.2.1" }]);
});
