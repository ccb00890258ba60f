import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { FakeFiles } from "../../base/host/files.fake.ts";
import { FakeIp } from "../../base/host/ip.fake.ts";
import type { LinkAddress, Route } from "../../base/host/ip.ts";
import { Address } from "../../base/net/address.ts";
import { Prefix } from "../../base/net/prefix.ts";
import { addressesToKeep, findNodePlaces } from "./addresses.ts";
import { keptAddresses } from "./kept-addresses.ts";

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
  const [link = "", prefix = "", scope = "global", word] = text.split(" ");
  const address = Address.parse(prefix.split("/")[0] ?? "");
  const deprecated = word === "deprecated" && { deprecated: true };
  const state = { tentative: false, duplicate: false, ...deprecated };
  return { link, address, prefix: Prefix.parse(prefix), scope, ...state };
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

async function found(
  ip: FakeIp,
  given: readonly string[] = [],
  { kept = [], servers = [] }: { kept?: readonly string[]; servers?: readonly string[] } = {},
): Promise<string[]> {
  const places = await findNodePlaces(ip, {
    given: given.map(Address.parse),
    kept: kept.map(Address.parse),
    servers: servers.map(Address.parse),
  });
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

describe("[INST-2] a node's address is its own", () => {
  const announced = [
    "eth0 2001:db8::99/128 global deprecated",
    "eth0 192.0.2.99/32 global deprecated",
    "eth0 192.0.2.98/32",
    "eth0 192.0.2.7/24",
    "eth0 2001:db8::98/128",
    "eth0 2001:db8::7/64",
    "eth1 198.51.100.7/24",
  ];
  const own = ["192.0.2.7 eth0 1500", "2001:db8::7 eth0 1500"];

  test("whatever a load balancer or keepalived announces before it on the link", async () => {
    assert.deepEqual(await found(machine(announced, ["0.0.0.0/0 eth0", "::/0 eth0"])), own);
    const ip = machine(announced, []);
    ip.shown.sources = { "192.0.2.98": Address.parse("192.0.2.98") };
    const servers = ["192.0.2.98"];
    assert.deepEqual(
      await found(ip, [], { servers }),
      own,
      "also where it is itself the VIP's holder",
    );
  });

  test("and that which leads to the API server, not the first on the link", async () => {
    const ip = machine([...announced, "eth1 2001:db8:1::7/64"], ["0.0.0.0/0 eth0"]);
    ip.shown.sources = { "198.51.100.1": Address.parse("198.51.100.7") };
    assert.deepEqual(await found(ip, [], { servers: ["198.51.100.1"] }), [
      "198.51.100.7 eth1 1499",
      "2001:db8:1::7 eth1 1499",
    ]);
  });

  test("and what it was before, as long as the machine has it", async () => {
    const addresses = ["eth0 192.0.2.6/24", "eth0 192.0.2.7/24", "eth0 2001:db8::7/64"];
    const kept = ["192.0.2.7", "2001:db8::5"];
    const ip = machine(addresses, ["0.0.0.0/0 eth0"]);
    assert.deepEqual(await found(ip, [], { kept }), own);
    const places = await findNodePlaces(ip, { given: [], kept: kept.map(Address.parse) });
    assert.deepEqual(addressesToKeep(places, kept.map(Address.parse)).map(String), [
      "192.0.2.7",
      "2001:db8::7",
    ]);
    const onlyIPv4 = places.slice(0, 1);
    assert.deepEqual(addressesToKeep(onlyIPv4, kept.map(Address.parse)).map(String), kept);
  });

  test("also where it stands alone, as clouds give them", async () => {
    assert.deepEqual(await found(machine(["eth0 10.0.0.7/32", "eth0 2001:db8::7/128"], [])), [
      "10.0.0.7 eth0 1500",
      "2001:db8::7 eth0 1500",
    ]);
  });

  test("and is kept in a file that may hold anything", async () => {
    const files = new FakeFiles();
    const file = keptAddresses(files, "/data");
    assert.deepEqual(await file.read(), []);
    await file.write(["192.0.2.7", "2001:db8::7"].map(Address.parse));
    assert.deepEqual((await file.read()).map(String), ["192.0.2.7", "2001:db8::7"]);
    await files.write("/data/addresses", "foo\n\n 192.0.2.7\n");
    assert.deepEqual((await file.read()).map(String), ["192.0.2.7"]);
  });
});
