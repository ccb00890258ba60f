// Two machines as namespaces, joined by a cable, in both families: what the parts of src/base/host do together.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Commands } from "../../../src/base/host/command.ts";
import { systemConntrack } from "../../../src/base/host/conntrack.system.ts";
import { CommandError, isAlreadyExists, isNotFound } from "../../../src/base/host/error.ts";
import { systemIp } from "../../../src/base/host/ip.system.ts";
import type { LinkAddress } from "../../../src/base/host/ip.ts";
import { systemNft } from "../../../src/base/host/nft.system.ts";
import { systemSysctl } from "../../../src/base/host/sysctl.system.ts";
import { Address } from "../../../src/base/net/address.ts";
import { type Family, families } from "../../../src/base/net/family.ts";
import { Prefix } from "../../../src/base/net/prefix.ts";
import { openSandbox } from "./sandbox.ts";

interface Plan {
  readonly network: string;
  readonly left: Address;
  readonly right: Address;
  /** Nobody has this address; only rules lead from it to somebody. */
  readonly service: Address;
  readonly table: "ip" | "ip6";
  /** Without it an IPv6 address cannot be used until nobody has claimed it for a second or two. */
  readonly flag: "" | "nodad";
}

const plan: Readonly<Record<Family, Plan>> = {
  IPv4: {
    network: "10.77.0.0/24",
    left: Address.parse("10.77.0.1"),
    right: Address.parse("10.77.0.2"),
    service: Address.parse("10.96.0.10"),
    table: "ip",
    flag: "",
  },
  IPv6: {
    network: "fd77::/64",
    left: Address.parse("fd77::1"),
    right: Address.parse("fd77::2"),
    service: Address.parse("fd96::a"),
    table: "ip6",
    flag: "nodad",
  },
};
const length = (family: Family): number => Prefix.parse(plan[family].network).length;

const sandbox = await openSandbox();
const left = await sandbox.enter("left");
const right = await sandbox.enter("right");
const ip = systemIp(left.commands);

const over = new AbortController();
after(() => over.abort());

before(async () => {
  await ip.batch([
    `link add eth0 type veth peer name eth0 netns ${right.path}`,
    "link set eth0 up",
    ...families.map((f) => `address add ${plan[f].left}/${length(f)} dev eth0 ${plan[f].flag}`),
    ...families.map((f) => `route add ${plan[f].service} via ${plan[f].right}`),
  ]);
  await systemIp(right.commands).batch([
    "link set eth0 up",
    ...families.map((f) => `address add ${plan[f].right}/${length(f)} dev eth0 ${plan[f].flag}`),
  ]);
  await startEchoes(right.commands);
});

describe("ip", () => {
  test("shows links as values", async () => {
    const links = await ip.links();
    assert.deepEqual(
      links.map(({ name, kind, up, running, mtu }) => ({ name, kind, up, running, mtu })),
      [
        { name: "lo", kind: undefined, up: true, running: true, mtu: 65536 },
        { name: "eth0", kind: "veth", up: true, running: true, mtu: 1500 },
      ],
    );
    assert.match(links[1]?.mac ?? "", /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/);
  });

  for (const family of families) {
    const { network, left: own, right: other, service } = plan[family];

    test(`shows addresses of ${family}`, async () => {
      const found = (await ip.addresses(family)).find(({ address }) => address.equals(own));
      assert.deepEqual(found, {
        link: "eth0",
        address: own,
        prefix: Prefix.parse(network),
        scope: "global",
        tentative: false,
        duplicate: false,
      } satisfies LinkAddress);
    });

    test(`shows routes of ${family}`, async () => {
      const routes = await ip.routes(family);
      const connected = routes.find(({ destination }) => destination.toString() === network);
      assert.deepEqual(connected?.nextHops, [{ link: "eth0" }]);
      assert.equal(connected?.protocol, "kernel");
      const routed = routes.find(({ destination }) => destination.contains(service));
      assert.equal(routed?.type, "unicast");
      assert.deepEqual(routed?.nextHops, [{ link: "eth0", gateway: other }]);
      const local = await ip.routes(family, { table: "local" });
      assert(local.some(({ type, destination }) => type === "local" && destination.contains(own)));
    });

    test(`shows neighbours of ${family}`, async () => {
      const address = Prefix.parse(network).at(99n);
      await ip.batch([`neighbour add ${address} lladdr 02:00:00:00:00:63 dev eth0`]);
      const found = (await ip.neighbours(family)).find((one) => one.address.equals(address));
      assert.deepEqual(found, {
        link: "eth0",
        address,
        mac: "02:00:00:00:00:63",
        state: "PERMANENT",
      });
    });

    test(`tells why a line of ${family} fails`, async () => {
      const free = Prefix.parse(network).at(50n);
      const lines: readonly (readonly [string, (error: unknown) => boolean])[] = [
        [`address add ${own}/${length(family)} dev eth0`, isAlreadyExists],
        [`address delete ${free}/${length(family)} dev eth0`, isNotFound],
        [`address add ${free}/${length(family)} dev nope`, isNotFound],
        [`route add ${service} via ${other}`, isAlreadyExists],
        [`route delete ${free}`, isNotFound],
        [`neighbour delete ${free} dev eth0`, isNotFound],
        ["link set nope up", isNotFound],
        ["link add eth0 type bridge", isAlreadyExists],
      ];
      for (const [line, predicate] of lines) {
        await assert.rejects(ip.batch(["link set lo up", line, "link set lo down"]), (error) => {
          assert(error instanceof CommandError);
          assert(error.message.startsWith(`Cannot run "ip ${line}": `), error.message);
          return predicate(error);
        });
      }
    });
  }
});

test("settings are those of the namespace", async () => {
  const [here, there] = [systemSysctl(left.commands), systemSysctl(right.commands)];
  const keys = ["net/ipv4/ip_forward", "net/ipv6/conf/all/forwarding"];
  await here.write(Object.fromEntries(keys.map((key) => [key, 1])));
  assert.deepEqual(await here.read(keys), ["1", "1"]);
  assert.deepEqual(await there.read(keys), ["0", "0"]);
  await assert.rejects(here.read(["net/nope"]), isNotFound);
});

for (const family of families) {
  test(`packets of ${family} reach the other side`, async () => {
    assert.equal(await ask(plan[family].right, 5301), "one");
  });

  test(`an update of a map moves a service of ${family}, once its flow is forgotten`, async () => {
    const { service, right: endpoint, table } = plan[family];
    const [nft, conntrack] = [systemNft(left.commands), systemConntrack(left.commands)];
    const id = { family: table, name: "services" } as const;
    const set = { table: id, kind: "map", name: "endpoints" } as const;
    const key = `${service} . udp . 53`;
    const address = family === "IPv4" ? "ipv4_addr" : "ipv6_addr";
    const match = `${table} daddr . meta l4proto . udp dport map @endpoints`;
    await nft.apply(`
      add table ${table} services
      add map ${table} services endpoints { type ${address} . inet_proto . inet_service : ${address} . inet_service ; }
      add chain ${table} services output { type nat hook output priority -100 ; }
      add rule ${table} services output dnat to ${match}
      add element ${table} services endpoints { ${key} : ${endpoint} . 5301 }`);
    assert.equal(await ask(service, 53), "one");

    await nft.apply(`
      delete element ${table} services endpoints { ${key} }
      add element ${table} services endpoints { ${key} : ${endpoint} . 5302 }`);
    assert.deepEqual(await nft.elements(set), [
      { key: [service.toString(), "udp", "53"], value: [endpoint.toString(), "5302"] },
    ]);
    assert.equal(await ask(service, 53), "one", "the kernel remembers the flow");

    const flow = { family, protocol: "udp", destination: service, port: 53 } as const;
    const somebodyElse = { ...flow, replySource: plan[family].left };
    assert.equal(await conntrack.deleteFlows([somebodyElse, { ...flow, port: 54 }]), 0);
    assert.equal(
      await conntrack.deleteFlows([somebodyElse, { ...flow, replySource: endpoint }]),
      1,
    );
    assert.equal(await ask(service, 53), "two");

    await nft.deleteTable(id);
    assert.deepEqual(
      (await nft.tables()).filter(({ name }) => name === "services"),
      [],
    );
  });
}

/** Answers at ports 5301 and 5302, in both families, until the tests are over. */
async function startEchoes(commands: Commands): Promise<void> {
  const script = `
    const { createSocket } = require("node:dgram");
    const bound = [];
    for (const [port, word] of [[5301, "one"], [5302, "two"]]) for (const type of ["udp4", "udp6"]) {
      const socket = createSocket({ type, ipv6Only: type === "udp6" });
      socket.on("message", (asked, from) => socket.send(asked + " " + word, from.port, from.address));
      bound.push(new Promise((done) => socket.bind(port, done)));
    }
    Promise.all(bound).then(() => console.log("ready"));`;
  const lines: string[] = [];
  const ready = Promise.withResolvers<void>();
  const running = await commands.start([process.execPath, "-e", script], {
    diesWithParent: true,
    signal: over.signal,
    onLine: (line) => {
      lines.push(line);
      if (line === "ready") ready.resolve();
    },
  });
  void running.exited.then(() => ready.reject(new Error(`the echoes ended: ${lines.join("\n")}`)));
  await ready.promise;
}

/**
 * The answer to a packet that always comes from the same port, so that it is of the same flow. What answers
 * somebody who asked before may still be under way.
 */
async function ask(address: Address, port: number): Promise<string> {
  const script = `
    const [address, port] = process.argv.slice(1);
    const socket = require("node:dgram").createSocket(address.includes(":") ? "udp6" : "udp4");
    const own = String(process.pid);
    socket.on("message", (answer) => {
      const [asked, word] = String(answer).split(" ");
      if (asked !== own) return;
      console.log(word);
      process.exit();
    });
    const send = () => socket.send(own, Number(port), address);
    socket.bind(40000, () => { send(); setInterval(send, 200); });`;
  const command = [process.execPath, "-e", script, "--", address.toString(), String(port)];
  const { stdout } = await left.commands.run(command, { timeoutMs: 60_000 });
  return stdout.trim();
}
