// A node between a client and two servers, all with sockets for SCTP: the kernel's, not ours.

import { after } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { Commands } from "../../src/base/host/command.ts";
import { CommandError } from "../../src/base/host/error.ts";
import { systemIp } from "../../src/base/host/ip.system.ts";
import { systemSysctl } from "../../src/base/host/sysctl.system.ts";
import { type Family, families } from "../../src/base/net/family.ts";
import { addressOf } from "../../src/node/proxy/plan/testing/scenario.ts";
import { openSandbox } from "../e2e/host/sandbox.ts";

export interface SctpNet {
  readonly node: Commands;
  /** The name of the server that answers there, or what went wrong. */
  ask(family: Family, address: string, port: number): Promise<string>;
}

const servers = ["a", "b"] as const;
const gateways: Readonly<Record<Family, string>> = { IPv4: "169.254.1.1", IPv6: "fe80::1" };

export async function openSctpNet(): Promise<SctpNet> {
  const sandbox = await openSandbox();
  const over = new AbortController();
  after(() => over.abort());
  const node = await sandbox.enter("node");
  const open = { "net/ipv6/conf/default/accept_dad": 0 };
  await systemSysctl(node.commands).write({
    ...open,
    "net/ipv4/ip_forward": 1,
    "net/ipv6/conf/all/forwarding": 1,
  });
  // What the node's address becomes when it stands in for the client's.
  await systemIp(node.commands).batch(
    families.map((family) => `address add ${addressOf("node", family)} dev lo`),
  );
  const places = new Map<string, Commands>();
  for (const party of [...servers, "client"] as const) {
    const { path, commands } = await sandbox.enter(party);
    places.set(party, commands);
    await systemSysctl(commands).write(open);
    const cable = `v-${party}`;
    await systemIp(node.commands).batch([
      `link add ${cable} type veth peer name eth0 netns ${path}`,
      `address add ${gateways.IPv4}/32 dev ${cable}`,
      `address add ${gateways.IPv6}/64 dev ${cable} nodad`,
      `link set ${cable} up`,
      ...families.map((family) => `route add ${addressOf(party, family)} dev ${cable}`),
    ]);
    await systemIp(commands).batch([
      ...families.map((family) => `address add ${addressOf(party, family)} dev eth0`),
      "link set eth0 up",
      `route add ${gateways.IPv4} dev eth0`,
      ...families.map((family) => `route add default via ${gateways[family]} dev eth0`),
    ]);
  }
  for (const server of servers) {
    const commands = places.get(server) ?? node.commands;
    for (const family of families) await serve(server, family, { commands, signal: over.signal });
    await listening(commands);
  }
  return {
    node: node.commands,
    ask: (family, address, port) =>
      askOnce(places.get("client") ?? node.commands, { family, address, port }),
  };
}

const digits: Readonly<Record<Family, string>> = { IPv4: "4", IPv6: "6" };

function bracketed(address: string): string {
  return address.includes(":") ? `[${address}]` : address;
}

/** One address on each side: otherwise both tell each other of all that they have. */
async function serve(
  name: "a" | "b",
  family: Family,
  { commands, signal }: { readonly commands: Commands; readonly signal: AbortSignal },
): Promise<void> {
  const bind = bracketed(addressOf(name, family).toString());
  const listen = `SCTP${digits[family]}-LISTEN:8080,bind=${bind},fork,reuseaddr`;
  await commands.start(["socat", listen, `SYSTEM:echo ${name}`], { signal, diesWithParent: true });
}

/** Until the kernel has a socket of each family. */
async function listening(commands: Commands): Promise<void> {
  const deadline = AbortSignal.timeout(120_000);
  for (;;) {
    const { stdout } = await commands.run(["cat", "/proc/net/sctp/eps"]);
    if ([...stdout.matchAll(/\s8080\s/g)].length >= families.length) return;
    deadline.throwIfAborted();
    await setTimeout(100);
  }
}

async function askOnce(
  commands: Commands,
  { family, address, port }: { family: Family; address: string; port: number },
): Promise<string> {
  const bind = bracketed(addressOf("client", family).toString());
  const target = `SCTP${digits[family]}-CONNECT:${bracketed(address)}:${port},bind=${bind},connect-timeout=10`;
  try {
    return (await commands.run(["socat", "-u", "-T", "10", target, "-"])).stdout.trim();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return /refused/i.test(error.stderr) ? "refused" : error.stderr.trim();
  }
}
