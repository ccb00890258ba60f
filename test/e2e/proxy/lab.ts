// The parties of the plan's scenarios as namespaces around a node, each with a cable of its own: pods of
// this node and of others, another node, and a client from outside.

import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { after } from "node:test";
import type { Commands } from "../../../src/base/host/command.ts";
import { systemConntrack } from "../../../src/base/host/conntrack.system.ts";
import { systemIp } from "../../../src/base/host/ip.system.ts";
import { eachLine } from "../../../src/base/host/process/lines.ts";
import { systemSysctl } from "../../../src/base/host/sysctl.system.ts";
import { type Family, families } from "../../../src/base/net/family.ts";
import { protocols } from "../../../src/node/proxy/plan/frontend.ts";
import { addressOf, type Party } from "../../../src/node/proxy/plan/testing/scenario.ts";
import { commands, openSandbox } from "../host/sandbox.ts";
import type { Errand, Findings, Talk } from "./party.ts";

/** How much slower than others this machine is, such as one whose processor is emulated. */
export const patience = Number(process.env["TANDEM_PATIENCE"] ?? 1);

export interface Lab {
  /** Run in the node's namespace. */
  readonly node: Commands;
  /** Run in a party's namespace. */
  commandsOf(party: Party): Commands;
  /** A directory for anything. */
  readonly scratch: string;
  ask(party: Party, task: Errand | Talk): Promise<Findings>;
  /** Lets the node forget a family's flows: a port that is used again does not belong to an old one. */
  forgetFlows(family: Family): Promise<void>;
}

const servers = ["a", "b", "c", "d"] as const;
const pods = ["pod", ...servers] as const;
const neighbours = [...pods, "peer", "client"] as const;

/** Parties that are at home with another. */
const homes: Partial<Record<Party, Party>> = { stranger: "client", lb: "node", lb2: "node" };

export async function openLab(): Promise<Lab> {
  const sandbox = await openSandbox();
  const over = new AbortController();
  after(() => over.abort());
  const node = await sandbox.enter("node");
  const places = new Map([["node" as Party, node]]);
  await prepare(node.commands);
  for (const party of neighbours) {
    const place = await sandbox.enter(party);
    places.set(party, place);
    await prepare(place.commands);
    await systemIp(node.commands).batch([
      `link add v-${party} type veth peer name eth0 netns ${place.path}`,
      ...nodeSide(party),
    ]);
    await systemIp(place.commands).batch(farSide(party));
  }
  await systemIp(node.commands).batch(
    families.map((family) => `route add default via ${addressOf("peer", family)}`),
  );
  await systemSysctl(node.commands).write({
    "net/ipv4/ip_forward": 1,
    "net/ipv6/conf/all/forwarding": 1,
    // What node ports on loopback addresses need.
    "net/ipv4/conf/all/route_localnet": 1,
    // Every refusal is to be seen.
    "net/ipv4/icmp_ratelimit": 0,
    "net/ipv6/icmp/ratelimit": 0,
  });
  // Also when there are many at once; where this is a matter of the whole machine, there is no such setting.
  const all = ["net.ipv4.icmp_msgs_per_sec=1000000", "net.ipv4.icmp_msgs_burst=100000"];
  await node.commands.run(["sysctl", "--quiet", "--ignore", "--write", ...all]);
  const lines = new Map<Party, ControlLine>();
  await Promise.all(
    [...places].map(async ([party, { path }]) => {
      const socket = join(sandbox.scratch, `${party}.sock`);
      const name = servers.some((server) => server === party) ? party : "";
      const options = { namespace: path, signal: over.signal };
      const program = new URL("party.ts", import.meta.url).pathname;
      await startParty([process.execPath, program, name, socket], options);
      for (const family of name === "" ? [] : families) {
        await startParty(["perl", sctpProgram, "serve", family, name], options);
      }
      lines.set(party, await ControlLine.open(socket, over.signal));
    }),
  );
  const conntrack = systemConntrack(node.commands);
  return {
    node: node.commands,
    scratch: sandbox.scratch,
    forgetFlows: async (family) => {
      await conntrack.deleteFlows(protocols.map((protocol) => ({ family, protocol })));
    },
    commandsOf: (party) => {
      const place = places.get(party);
      if (place === undefined) throw new Error(`Cannot enter ${party}: it is no party of the lab`);
      return place.commands;
    },
    ask: async (party, task) => {
      const home = homes[party] ?? party;
      const line = lines.get(home);
      if (line === undefined) throw new Error(`Cannot ask ${party}: it is no party of the lab`);
      if ("protocol" in task && task.protocol === "sctp") {
        return askSctp(places.get(home)?.commands ?? node.commands, task);
      }
      return line.ask(task);
    },
  };
}

const sctpProgram = new URL("sctp.pl", import.meta.url).pathname;

/** The kernel may have no SCTP sockets, and Node has none in any case. */
async function askSctp(place: Commands, errand: Errand): Promise<Findings> {
  const { address, port, count, timeoutMs, source } = errand;
  const seconds = Math.ceil(timeoutMs / 1000);
  const family = address.includes(":") ? "IPv6" : "IPv4";
  const words = [family, address, port, count, seconds, ...(source === undefined ? [] : [source])];
  const { stdout } = await place.run(["perl", sctpProgram, "ask", ...words.map(String)], {
    timeoutMs: count * timeoutMs + 60_000 * patience,
  });
  return stdout.trim().split("\n");
}

/** Addresses can be used at once. */
async function prepare(place: Commands): Promise<void> {
  await systemSysctl(place).write({ "net/ipv6/conf/default/accept_dad": 0 });
}

/** Where everyone sends what is not for themselves, on each cable. */
const gateways: Readonly<Record<Family, string>> = { IPv4: "169.254.1.1", IPv6: "fe80::1" };

function addressesOf(party: Party, family: Family): readonly string[] {
  const all = (Object.keys(homes) as Party[]).filter((other) => homes[other] === party);
  return [party, ...all].map((one) => addressOf(one, family).toString());
}

function nodeSide(party: Party): readonly string[] {
  const cable = `v-${party}`;
  const own = families.map((family) =>
    party === "peer" ? addressOf("node", family).toString() : gateways[family],
  );
  return [
    `address add ${own[0]}/32 dev ${cable}`,
    `address add ${own[1]}/128 dev ${cable} nodad`,
    `address add ${gateways.IPv6}/64 dev ${cable} nodad`,
    `link set ${cable} up`,
    ...families.flatMap((family) =>
      addressesOf(party, family).map((address) => `route add ${address} dev ${cable}`),
    ),
  ].filter((line, n, all) => all.findIndex((other) => sameAddress(line, other)) === n);
}

function sameAddress(one: string, other: string): boolean {
  return one.replace(/\/\d+/, "") === other.replace(/\/\d+/, "");
}

function farSide(party: Party): readonly string[] {
  const router = (family: Family): string =>
    party === "peer" ? addressOf("node", family).toString() : gateways[family];
  return [
    ...addressesOf(party, "IPv4").map((address) => `address add ${address}/32 dev eth0`),
    ...addressesOf(party, "IPv6").map((address) => `address add ${address}/128 dev eth0 nodad`),
    "link set eth0 up",
    ...families.flatMap((family) => [
      `route add ${router(family)} dev eth0`,
      `route add default via ${router(family)} dev eth0`,
    ]),
  ];
}

/** Starts a program that says when it is ready. */
async function startParty(
  command: readonly string[],
  options: { namespace: string; signal: AbortSignal },
): Promise<void> {
  const ready = Promise.withResolvers<void>();
  const said: string[] = [];
  const running = await commands.start(command, {
    ...options,
    diesWithParent: true,
    onLine: (line) => {
      said.push(line);
      if (line === "ready") ready.resolve();
    },
  });
  void running.exited.then(() =>
    ready.reject(new Error(`Cannot start ${command.join(" ")}: ${said.join("\n")}`)),
  );
  await ready.promise;
}

/** Asks a party for things; its answers come in the order of the questions. */
class ControlLine {
  readonly #socket: Socket;
  readonly #waiting: PromiseWithResolvers<Findings>[] = [];

  private constructor(socket: Socket) {
    this.#socket = socket;
    eachLine(socket, (line) => this.#waiting.shift()?.resolve(JSON.parse(line) as Findings));
    socket.once("close", () => {
      for (const { reject } of this.#waiting) reject(new Error("Cannot ask: the party has left"));
    });
  }

  static async open(path: string, signal: AbortSignal): Promise<ControlLine> {
    const socket = connect({ path });
    signal.addEventListener("abort", () => socket.destroy(), { once: true });
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("error", reject);
    });
    return new ControlLine(socket);
  }

  ask(task: Errand | Talk): Promise<Findings> {
    const answer = Promise.withResolvers<Findings>();
    this.#waiting.push(answer);
    this.#socket.write(`${JSON.stringify(task)}\n`);
    return answer.promise;
  }
}
