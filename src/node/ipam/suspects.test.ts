import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Address } from "../../base/net/address.ts";
import { Prefix } from "../../base/net/prefix.ts";
import { addressesInUse, type Pod } from "./datastore/kubernetes/pod-addresses.ts";
import type { AddressesInUse, Datastore, Reservation } from "./datastore/port.ts";
import { hasNamespace } from "./namespaces.system.ts";
import { reconcile } from "./reconcile.ts";
import { Suspects, seemsStale } from "./suspects.ts";

const range = Prefix.parse("10.0.0.0/24");
const pool = { name: "10.0.0.0-24", range, network: "", guarded: true };

function reservation(text: string, more: Partial<Reservation> = {}): Reservation {
  const address = Address.parse(text);
  return { pool, address, owner: "ns/p", ifname: "net1", containerId: "old", ...more };
}

const uses = (...addresses: string[]): AddressesInUse =>
  new Map([["net1", addresses.map(Address.parse)]]);

test("[IPAM-10] stale is what a pod has at no interface, while it has others at that one", () => {
  assert.equal(seemsStale(reservation("10.0.0.1"), uses("10.0.0.2")), true);
  assert.equal(seemsStale(reservation("10.0.0.1"), uses("10.0.0.2", "10.0.0.1")), false);
  assert.equal(seemsStale(reservation("10.0.0.1"), uses()), false);
  assert.equal(seemsStale(reservation("10.0.0.1", { ifname: "" }), uses("10.0.0.2")), false);
  const elsewhere = new Map([...uses("10.0.0.2"), ["eth0", [Address.parse("10.0.0.1")]]]);
  assert.equal(seemsStale(reservation("10.0.0.1"), elsewhere), false);
});

test("[IPAM-10] a suspect is confirmed by a second look that agrees, a minute later", () => {
  const suspects = new Suspects();
  const suspect = (more: Partial<Reservation> = {}, inUse = uses("10.0.0.2")) => [
    { reservation: reservation("10.0.0.1", more), inUse },
  ];
  assert.deepEqual(suspects.confirm(suspect(), 0), []);
  assert.deepEqual(suspects.confirm(suspect(), 59_999), []);
  assert.equal(suspects.confirm(suspect(), 60_000).length, 1);
  assert.deepEqual(suspects.confirm(suspect({ containerId: "new" }), 60_001), [], "taken over");
  assert.deepEqual(suspects.confirm(suspect({}, uses("10.0.0.3")), 130_000), [], "other addresses");
  assert.deepEqual(suspects.confirm([], 140_000), []);
  assert.deepEqual(suspects.confirm(suspect({}, uses("10.0.0.3")), 500_000), [], "it was in order");
});

test("[IPAM-10] whatever a pod's status says, no address in it is ever confirmed as stale", () => {
  const address = fc.integer({ min: 1, max: 6 }).map((last) => `10.0.0.${last}`);
  const used = fc.dictionary(fc.constantFrom("eth0", "net1"), fc.array(address));
  fc.assert(
    fc.property(address, fc.array(used, { minLength: 1 }), (held, looks) => {
      const suspects = new Suspects();
      for (const [index, look] of looks.entries()) {
        const inUse = new Map(
          Object.entries(look).map(([link, all]) => [link, all.map(Address.parse)]),
        );
        const one = reservation(held);
        const found = seemsStale(one, inUse) ? [{ reservation: one, inUse }] : [];
        const confirmed = suspects.confirm(found, index * 60_000);
        if (Object.values(look).flat().includes(held)) assert.deepEqual(confirmed, []);
      }
    }),
  );
});

test("[IPAM-10] a pod's addresses are those of its status and of network-status, when it runs for certain", () => {
  const pod = (status: Pod["status"], metadata: Partial<Pod["metadata"]> = {}): Pod => ({
    metadata: { name: "p", ...metadata },
    status: { phase: "Running", ...status },
  });
  const told = (one: Pod) =>
    [...(addressesInUse(one) ?? [["?", []] as const])].map(
      ([link, all]) => `${link} ${all.join()}`,
    );
  const podIPs = [
    { ip: "10.244.0.5" },
    { ip: "10.0.0.2", properties: { "tandem.internal/interface": "net1" } },
  ];
  assert.deepEqual(told(pod({ podIPs })), ["eth0 10.244.0.5", "net1 10.0.0.2"]);
  const networks = JSON.stringify([{ interface: "net2", ips: ["fd00::2"] }, { ips: [7] }, 3]);
  const annotations = { "k8s.v1.cni.cncf.io/network-status": networks };
  assert.deepEqual(told(pod({}, { annotations })), ["net2 fd00::2"]);
  const broken = { "k8s.v1.cni.cncf.io/network-status": "{" };
  assert.deepEqual(told(pod({}, { annotations: broken })), []);
  assert.equal(addressesInUse(pod({ podIPs, phase: "Pending" })), undefined);
  assert.equal(addressesInUse(pod({ podIPs }, { deletionTimestamp: "now" })), undefined);
  const conditions = [{ type: "Ready", status: "False" }];
  assert.equal(addressesInUse(pod({ podIPs, conditions })), undefined);
});

test("[IPAM-10] the reconciler frees a stale reservation of a living pod at its second look", async () => {
  const held = new Set([reservation("10.0.0.1"), reservation("10.0.0.2", { containerId: "new" })]);
  const unused = () => assert.fail("not needed");
  const datastore: Datastore = {
    reservations: async () => [...held],
    livingOwners: async () => new Map([["ns/p", uses("10.0.0.2")]]),
    transact: async (_, decide) =>
      decide({
        held: [...held],
        taken: unused,
        kept: unused,
        put: unused,
        remove: (one) => held.delete(one),
      }),
    slices: unused,
    claimSlice: unused,
    releaseSlices: unused,
    close: unused,
  };
  const suspects = new Suspects();
  const round = async (now: number) =>
    (await reconcile(datastore, { now, node: "", hasNamespace }, suspects)).map(({ address }) =>
      String(address),
    );
  assert.deepEqual(await round(0), []);
  assert.deepEqual(await round(30_000), []);
  assert.deepEqual(await round(60_000), ["10.0.0.1"]);
  assert.deepEqual(await round(300_000), []);
  assert.equal(held.size, 1);
});
