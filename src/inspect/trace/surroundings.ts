// The kernel's knowledge of a packet's way: routes, neighbours, connections, and rules that leave no trace.

import type { CallOptions, Commands } from "../../base/host/command.ts";
import { CommandError } from "../../base/host/error.ts";
import { systemIp } from "../../base/host/ip.system.ts";
import { systemSysctl } from "../../base/host/sysctl.system.ts";
import { Address } from "../../base/net/address.ts";
import type { Family } from "../../base/net/family.ts";
import type { Protocol } from "../../node/proxy/proxy.ts";
import type { Header } from "./trace-line.ts";
import { placeText } from "./visits.ts";

export interface Route {
  readonly device: string;
  /** The next router; `undefined` if the destination is on the link or local. */
  readonly gateway: string | undefined;
}

/** The reason why there is no route. */
export interface NoRoute {
  readonly reason: string;
  /** Whether the kernel drops the packet without an ICMP error to the sender. */
  readonly isSilent: boolean;
}

export interface Connection {
  /** The original direction: `10.0.0.1:4000 → 10.96.0.1:80`. */
  readonly original: string;
  readonly answered: string;
}

export class Surroundings {
  readonly #commands: Commands;
  readonly #options: CallOptions;

  constructor(commands: Commands, options: CallOptions) {
    this.#commands = commands;
    this.#options = options;
  }

  /** Returns the route of a packet: received if a device is given, otherwise sent. */
  async route(
    header: Pick<Header, "source" | "destination" | "inDevice">,
  ): Promise<Route | NoRoute> {
    const { source, destination, inDevice } = header;
    const from = source === "" ? [] : ["from", source];
    const over = inDevice === undefined ? [] : ["iif", inDevice];
    const command = ["ip", "-json", "route", "get", destination, ...from, ...over];
    try {
      const { stdout } = await this.#commands.run(command, this.#options);
      const [found] = JSON.parse(stdout) as readonly RawRoute[];
      const refusal = noRoutes.find(({ type }) => type === found?.type);
      if (found?.dev === undefined || refusal !== undefined) return refusal ?? unknownRoute;
      return { device: found.dev, gateway: found.gateway };
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      const said = error.stderr;
      return (
        noRoutes.find(({ phrase }) => phrase.test(said)) ?? { ...unknownRoute, reason: said.trim() }
      );
    }
  }

  /** Whether the namespace forwards packets. */
  async isForwarding(family: Family): Promise<boolean> {
    const key = family === "IPv4" ? "net/ipv4/ip_forward" : "net/ipv6/conf/all/forwarding";
    const [value] = await systemSysctl(this.#commands).read([key], this.#options);
    return value?.trim() !== "0";
  }

  /** Whether this neighbour has not answered when the kernel asked for its link address. */
  async isNeighbourMissing(address: string, device: string): Promise<boolean> {
    const wanted = Address.parse(address);
    const neighbours = await systemIp(this.#commands).neighbours(wanted.family, this.#options);
    return neighbours.some(
      (one) =>
        one.link === device && one.address.equals(wanted) && /FAILED|INCOMPLETE/.test(one.state),
    );
  }

  /** Returns the conntrack entry of a packet. */
  async connection(header: Header, protocol: Protocol): Promise<Connection | undefined> {
    const family = Address.parse(header.source).family.toLowerCase();
    const match = ["--orig-src", header.source, "--orig-dst", header.destination];
    const command = ["conntrack", "-L", "-f", family, "-p", protocol, ...match];
    const { stdout } = await this.#commands.run(command, this.#options);
    const ports = `sport=${header.sourcePort} dport=${header.destinationPort} `;
    const line = stdout.split("\n").find((one) => one.includes(ports));
    const [original, answered] = [...(line ?? "").matchAll(tuple)].map(
      ([, source = "", destination = "", from, to]) =>
        `${placeText(source, Number(from))} → ${placeText(destination, Number(to))}`,
    );
    return original === undefined || answered === undefined ? undefined : { original, answered };
  }

  /** Returns the rules of legacy iptables, and how many packets each has counted. */
  async legacyRules(): Promise<ReadonlyMap<string, number>> {
    const counts = new Map<string, number>();
    for (const tool of ["iptables-legacy-save", "ip6tables-legacy-save"]) {
      const { stdout } = await this.#commands.run([tool, "-c"], this.#options);
      let table = "";
      for (const line of stdout.split("\n")) {
        if (line.startsWith("*")) table = line.slice(1);
        const [, packets, rule] = /^\[(\d+):\d+\] -A (.*)$/.exec(line) ?? [];
        if (rule === undefined) continue;
        counts.set(`${tool.replace("-legacy-save", "")} ${table} ${rule}`, Number(packets));
      }
    }
    return counts;
  }
}

export function isRoute(found: Route | NoRoute): found is Route {
  return "device" in found;
}

interface RawRoute {
  readonly type?: string;
  readonly dev?: string;
  readonly gateway?: string;
}

const tuple = /src=(\S+) dst=(\S+) sport=(\d+) dport=(\d+)/g;

const unknownRoute: NoRoute = { reason: "the kernel names no route", isSilent: false };

/** Routes that lead nowhere, by the type of the route or by the error that the kernel gives instead. */
const noRoutes: readonly (NoRoute & { readonly type: string; readonly phrase: RegExp })[] = [
  {
    type: "blackhole",
    phrase: /Invalid argument/,
    reason: "the route is a blackhole",
    isSilent: true,
  },
  {
    type: "prohibit",
    phrase: /Permission denied/,
    reason: "the route is prohibited",
    isSilent: false,
  },
  {
    type: "unreachable",
    phrase: /No route to host/,
    reason: "the route is unreachable",
    isSilent: false,
  },
  { type: "none", phrase: /Network is unreachable/, reason: "there is no route", isSilent: false },
  {
    type: "reverse",
    phrase: /cross-device/,
    reason: "answers would go another way, which the reverse path filter forbids",
    isSilent: true,
  },
];
