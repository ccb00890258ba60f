import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { FakeIp } from "../../base/host/ip.fake.ts";
import type { LinkAddress, Route } from "../../base/host/ip.ts";
import { Address } from "../../base/net/address.ts";
import { Prefix } from "../../base/net/prefix.ts";
import { findNodePlaces } from "./addresses.ts";

function machine(addresses: readonly string[], routes: readonly string[]): FakeIp {
  const ip = new FakeIp();
  ip.shown.links = ["eth0", "eth1"].map((name, index) => ({
    index,
    name,
    mtu: 1500 - index,
    up: true,
    running: true,
  }));
  ip.shown.addresses = addresses.map(linkAddress);
  ip.shown.routes = routes.map(defaultRoute);
  return ip;
}

function linkAddress(text: string): LinkAddress {
  const [link = "", prefix = "", scope = "global"] = text.split(" ");
  const address = Address.parse(prefix.split("/")[0] ?? "");
  return { link, address, prefix: Prefix.parse(prefix), scope, tentative: false, duplicate: false };
}

function defaultRoute(text: string): Route {
  const [destination = "", link = "", metric = "0"] = text.split(" ");
  return {
    type: "unicast",
    destination: Prefix.parse(destination),
    nextHops: [{ link }],
    metric: Number(metric),
  };
}

async function found(ip: FakeIp, given: readonly string[] = []): Promise<string[]> {
  const places = await findNodePlaces(ip, given.map(Address.parse));
  return places.map(({ address, link, mtu }) => `${address} ${link} ${mtu}`);
}

describe("[NODE-4] the addresses of a node", () => {
  const addresses = [
    "lo 127.0.0.1/8 host",
    "eth0 198.51.100.7/24",
    "eth1 192.0.2.7/24",
    "eth0 fe80::7/64 link",
    "eth1 2001:db8::7/64",
    "cbr0 10.244.0.1/24",
  ];

  test("are those of the default routes' links, each family by itself", async () => {
    const ip = machine(addresses, ["0.0.0.0/0 eth0 100", "0.0.0.0/0 eth1 50", "::/0 eth0 50"]);
    assert.deepEqual(await found(ip), ["192.0.2.7 eth1 1499", "2001:db8::7 eth1 1499"]);
  });

  test("are any that is not of pods, without default routes", async () => {
    assert.deepEqual(await found(machine(addresses, [])), [
      "198.51.100.7 eth0 1500",
      "2001:db8::7 eth1 1499",
    ]);
    assert.deepEqual(await found(machine(["cbr0 10.244.0.1/24"], [])), []);
  });

  test("are those given, in that order, if they are there", async () => {
    const ip = machine(addresses, ["0.0.0.0/0 eth0"]);
    const given = ["2001:db8::7", "192.0.2.7"];
    assert.deepEqual(await found(ip, given), ["2001:db8::7 eth1 1499", "192.0.2.7 eth1 1499"]);
    await assert.rejects(
      found(ip, ["203.0.113.1"]),
      /Cannot use node IP 203\.0\.113\.1: .*192\.0\.2\.7/,
    );
  });
});
