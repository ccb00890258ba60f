// A hostile pod with raw sockets, as pods have by default: it speaks with others' addresses, and for them, to its
// neighbours on the bridge and, where each pod has a link of its own, by way of the node.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { linkLocalOf } from "../../src/node/network/guard/ports.ts";
import { guardTables } from "../../src/node/network/guard/script.ts";
import { openSandbox } from "../e2e/host/sandbox.ts";
import { assertReaches } from "../fixtures/ipam-reach.ts";
import { arpReply, datagram, type Frame, neighbourMessage, tagged } from "./frames.ts";
import { gateways, type Neighbourhood, openNeighbourhood } from "./neighbours.fixture.ts";

const sandbox = await openSandbox();
const [gateway4 = "", gateway6 = ""] = gateways;
const forgedMac = "0a:58:66:66:66:66";
/** Addresses outside of the cluster, as a flood would have. */
const [outside4, outside6] = ["203.0.113.66", "2001:db8::66"];

type Attack = (mark: string, place: Neighbourhood) => Frame;

/** What the neighbours on a bridge must not hear. */
const attacks: Readonly<Record<string, Attack>> = {
  "ARP for the gateway": (mark, { hostile: { mac } }) =>
    arpReply({ from: mac, mac, address: gateway4, mark }),
  "ARP for a neighbour": (mark, { hostile: { mac }, victim }) =>
    arpReply({ from: mac, mac, address: victim.ipv4, mark }),
  "ARP in another's name": (mark, { hostile: { mac, ipv4 } }) =>
    arpReply({ from: mac, mac: forgedMac, address: ipv4, mark }),
  "ARP for the gateway behind a VLAN tag of no VLAN": (mark, { hostile: { mac } }) =>
    tagged(arpReply({ from: mac, mac, address: gateway4, mark })),
  "a MAC address that nobody gave it": (mark, { hostile, victim }) =>
    datagram({ from: forgedMac, source: hostile.ipv4, target: victim.ipv4, mark }),
  "the MAC address of the gateway": (mark, { hostile, victim }) =>
    datagram({ from: hostile.router, source: hostile.ipv4, target: victim.ipv4, mark }),
  "a packet from a neighbour's address": (mark, { hostile, victim }) =>
    datagram({ from: hostile.mac, source: victim.ipv4, target: victim.ipv4, mark }),
  "an IPv6 packet from the gateway's address": (mark, { hostile, victim }) =>
    datagram({ from: hostile.mac, source: gateway6, target: victim.ipv6, mark }),
  "an IPv6 packet from a neighbour's link-local address": (mark, { hostile, victim }) => {
    const source = linkLocalOf(victim.mac).toString();
    return datagram({ from: hostile.mac, source, target: victim.ipv6, mark });
  },
  "a neighbour advertisement for the gateway": (mark, place) =>
    message(place, "advertisement", gateway6, mark),
  "a neighbour advertisement for a neighbour": (mark, place) =>
    message(place, "advertisement", place.victim.ipv6, mark),
  "a router advertisement": (mark, place) => message(place, "router advertisement", "::", mark),
  "a redirect": (mark, place) => message(place, "redirect", outside6, mark),
  "an offer of DHCP": (mark, { hostile, victim }) =>
    datagram({ from: hostile.mac, source: hostile.ipv4, target: victim.ipv4, port: 67, mark }),
  "an offer of DHCPv6": (mark, { hostile, victim }) =>
    datagram({ from: hostile.mac, source: hostile.ipv6, target: victim.ipv6, port: 547, mark }),
  "a frame of another protocol": (mark, { hostile }) => ({
    from: hostile.mac,
    type: 0x88cc,
    content: Buffer.from(mark),
  }),
};

/** What the victim must not get by way of the node. */
const forgeries: Readonly<Record<string, Attack>> = {
  "a packet from a stranger's address": (mark, { hostile, victim }) =>
    toRouter(hostile, { source: outside4, target: victim.ipv4, mark }),
  "an IPv6 packet from a stranger's address": (mark, { hostile, victim }) =>
    toRouter(hostile, { source: outside6, target: victim.ipv6, mark }),
};

const honest: Readonly<Record<string, Attack>> = {
  "ARP for itself": (mark, { hostile: { mac, ipv4 } }) =>
    arpReply({ from: mac, mac, address: ipv4, mark }),
  "a probe of ARP": (mark, { hostile: { mac } }) =>
    arpReply({ from: mac, mac, address: "0.0.0.0", mark }),
  "a neighbour advertisement for itself": (mark, place) =>
    message(place, "advertisement", place.hostile.ipv6, mark),
  "an IPv6 packet from its own address": (mark, { hostile, victim }) =>
    datagram({ from: hostile.mac, source: hostile.ipv6, target: victim.ipv6, mark }),
  "a packet from its own address by way of the node": (mark, { hostile, victim }) =>
    toRouter(hostile, { source: hostile.ipv6, target: victim.ipv6, mark }),
};

for (const network of ["bridge", "ptp"] as const) {
  describe(`a hostile pod on a network of kind ${network}`, { timeout: 240_000 }, () => {
    let place: Neighbourhood;
    before(async () => (place = await openNeighbourhood(sandbox, network)));
    after(async () => await place?.close());

    /** Returns those that the victim heard of; marks are never used twice. */
    const heardOf = async (all: Readonly<Record<string, Attack>>) => {
      const marks = new Map(Object.keys(all).map((name) => [name, randomUUID().slice(0, 18)]));
      const frames = Object.entries(all).map(([name, make]) => {
        const mark = marks.get(name) ?? "";
        return [mark, make(mark, place)] as const;
      });
      const heard = await place.heardOf(new Map(frames));
      return Object.keys(all).filter((name) => heard.includes(marks.get(name) ?? ""));
    };

    test("[SEC-1] speaks with its neighbour by both families", async () => {
      await assertReaches(place.hostile, place.victim);
      await assertReaches(place.victim, place.hostile);
    });

    if (network === "bridge") {
      test("[SEC-1] cannot speak with others' addresses, nor for others", async () => {
        assert.deepEqual(await heardOf(attacks), []);
      });

      test("[SEC-1] may say what is true of itself", async () => {
        assert.deepEqual(await heardOf(honest), Object.keys(honest));
      });

      test("[SEC-1] fills no table of the bridge with MAC addresses", async () => {
        const { hostile } = place;
        const flood = Array.from({ length: 20 }, (_, index) => {
          const from = `0a:66:00:00:00:${(16 + index).toString(16)}`;
          const packet = { from, source: hostile.ipv4, target: gateway4 };
          return [`flood-${index}`, datagram({ ...packet, mark: "f" })] as const;
        });
        await place.heardOf(new Map(flood));
        const { stdout } = await place.node.run(["bridge", "fdb", "show", "br", "cbr0"]);
        assert.doesNotMatch(stdout, /0a:66:/);
      });
    }

    test("[SEC-1] sends nothing from others' addresses by way of the node", async () => {
      assert.deepEqual(await heardOf(forgeries), []);
    });

    test("[SEC-1] finds the rules again after somebody removed them, and no others when it is gone", async () => {
      for (const table of guardTables) await place.nft.deleteTable(table);
      await place.pods.guard();
      assert.deepEqual(await heardOf(forgeries), []);
      await place.pods.detach(place.hostile.sandbox);
      const [present] = (await place.nft.tables()).filter(({ name }) => name === "tandem-guard");
      assert.ok(present);
      assert.doesNotMatch(await place.nft.text(present), new RegExp(place.hostile.ipv6));
      await place.pods.detach(place.victim.sandbox);
      assert.deepEqual(
        (await place.nft.tables()).filter(({ name }) => name === "tandem-guard"),
        [],
      );
    });
  });
}

function message(
  { hostile }: Neighbourhood,
  type: Parameters<typeof neighbourMessage>[0]["type"],
  target: string,
  mark: string,
): Frame {
  const source = linkLocalOf(hostile.mac).toString();
  return neighbourMessage({ from: hostile.mac, source, type, target, mark });
}

function toRouter(
  { mac: from, router: to }: Neighbourhood["hostile"],
  packet: { source: string; target: string; mark: string },
): Frame {
  return { ...datagram({ from, ...packet }), to };
}
