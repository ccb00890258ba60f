import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { gatewayFor, tunnelMac } from "./tunnel.ts";

test("hardware addresses are unicast, local, and each its gateway's", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (one, other) => {
      const [mac, second] = [tunnelMac(one, "IPv4"), tunnelMac(other, "IPv4")];
      assert.equal(Number.parseInt(mac.slice(0, 2), 16) & 3, 2);
      assert.equal(one === other, mac === second);
      assert.equal(mac === second, gatewayFor(mac).equals(gatewayFor(second)));
      assert.ok(gatewayFor(mac).isLinkLocal);
    }),
  );
});

test("the gateway is the address the kernel would give a device", () => {
  assert.equal(gatewayFor("02:11:22:33:44:55").toString(), "fe80::11:22ff:fe33:4455");
});
