// What the guard of pods' ports costs a connection between two pods on one bridge.

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { systemCommands } from "../src/base/host/command.system.ts";
import { inNamespace } from "../src/base/host/command.ts";
import { systemNft } from "../src/base/host/nft.system.ts";
import { Address } from "../src/base/net/address.ts";
import { type GuardedPort, linkLocalOf } from "../src/node/network/guard/ports.ts";
import { guardScript } from "../src/node/network/guard/script.ts";
import { type Benchmark, type Case, higher, lower } from "./harness.ts";

const commands = systemCommands();
const pods = [
  { link: "c", address: "10.16.0.2", mac: "02:00:00:00:00:02" },
  { link: "s", address: "10.16.0.3", mac: "02:00:00:00:00:03" },
] as const;
const server = pods[1].address;

export default {
  title: "guard of pods' ports: connections between two pods on a bridge",
  groups: () => [
    {
      name: "connections, one after the other",
      baseline: "no guard",
      cases: {
        "no guard": connecting(0),
        "guard of 2 pods": connecting(2),
        "guard of 250 pods": connecting(250),
      },
    },
  ],
} satisfies Benchmark;

function connecting(guarded: number): Case {
  return async (scope) => {
    const inside = await openBridge(scope);
    const listening = await inside.s.start([
      "socat",
      "TCP-LISTEN:80,fork,reuseaddr,backlog=1024",
      "/dev/null",
    ]);
    scope.defer(async () => void (await listening.stop()));
    if (guarded > 0) await systemNft(inside.node).apply(guardScript(portsOf(guarded)));
    const program = join(import.meta.dirname, "proxy/connect.pl");
    return async () => {
      const { stdout } = await inside.c.run(["perl", program, server, "80", "2000"]);
      const [p50 = 0, p90 = 0, perSecond = 0] = stdout.split(" ").map(Number);
      return {
        "connect() p50": lower(p50 / 1000, "ms"),
        "connect() p90": lower(p90 / 1000, "ms"),
        rate: higher(perSecond, "op/s"),
      };
    };
  };
}

async function openBridge(scope: AsyncDisposableStack) {
  const word = randomUUID().slice(0, 6);
  const nameOf = (which: string) => `bg-${word}-${which}`;
  for (const which of ["node", ...pods.map(({ link }) => link)]) {
    await commands.run(["ip", "netns", "add", nameOf(which)]);
    scope.defer(async () => void (await commands.run(["ip", "netns", "delete", nameOf(which)])));
  }
  const at = (which: string) => inNamespace(commands, join("/run/netns", nameOf(which)));
  const lines = ["link add br0 type bridge", "link set br0 up"];
  for (const { link, mac } of pods) {
    lines.push(
      `link add ${link} type veth peer name eth0 address ${mac} netns ${nameOf(link)}`,
      `link set ${link} master br0 up`,
    );
  }
  await at("node").run(["ip", "-batch", "-"], { stdin: `${lines.join("\n")}\n` });
  for (const { link, address } of pods) {
    await at(link).run(["ip", "-batch", "-"], {
      stdin: `link set lo up\nlink set eth0 up\naddress add ${address}/16 dev eth0\n`,
    });
  }
  return { node: at("node"), c: at("c"), s: at("s") };
}

function portsOf(count: number): readonly GuardedPort[] {
  const others = Array.from({ length: count - pods.length }, (_, index) => ({
    link: `other${index}`,
    address: `10.16.1.${index}`,
    mac: `02:00:00:00:01:${index.toString(16).padStart(2, "0")}`,
  }));
  return [...pods, ...others].map(({ link, address, mac }) => ({
    link,
    mac,
    isBridged: true,
    addresses: [Address.parse(address), linkLocalOf(mac)],
  }));
}
