import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Prefix } from "../../base/net/prefix.ts";
import { vipConflict } from "./vip-conflicts.ts";

const length = fc.integer({ min: 8, max: 32 });

test("[VIP-11] of a network's addresses exactly the first and the broadcast address cannot be VIPs", () => {
  fc.assert(
    fc.property(length, fc.boolean(), fc.nat(), (bits, isIPv4, seed) => {
      const network = Prefix.parse(isIPv4 ? `10.0.0.0/${bits}` : `fd00::/${bits + 96}`);
      const offset = BigInt(seed) % network.size;
      const vip = network.at(offset);
      const taken = {
        nodes: [],
        machineNetworks: [network],
        podNetworks: [],
        serviceNetworks: [],
      };
      const isReserved = offset === 0n || (isIPv4 && offset === network.size - 1n);
      assert.equal(vipConflict(vip, taken) !== undefined, isReserved && network.size > 2n);
      const pods = { ...taken, machineNetworks: [], podNetworks: [network] };
      assert.equal(vipConflict(vip, pods), `is in the pod network ${network}`);
    }),
  );
});
