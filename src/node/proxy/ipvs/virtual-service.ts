// Virtual services and how ipvsadm writes them.

import type { Family } from "../../../base/net/family.ts";
import type { Endpoint, Protocol } from "../plan/frontend.ts";
import { endpointText } from "../plan/frontend.ts";

export interface VirtualService {
  /** The options of ipvsadm that name the service: `-t 10.96.0.1:80`, or `-f 2097152001 -6`. */
  readonly key: string;
  /** The options after the key: scheduler and persistence, without the mask of persistence. */
  readonly settings: string;
  /** The weights of servers by `address:port`. A server of weight 0 gets no new connections. */
  readonly servers: ReadonlyMap<string, number>;
}

const protocolOptions: Readonly<Record<Protocol, string>> = {
  tcp: "-t",
  udp: "-u",
  sctp: "--sctp-service",
};

export function addressKey(place: Pick<Endpoint, "address" | "port">, protocol: Protocol): string {
  return `${protocolOptions[protocol]} ${endpointText(place)}`;
}

export function markKey(mark: number, family: Family): string {
  return `-f ${mark}${family === "IPv6" ? " -6" : ""}`;
}

export function settingsText(scheduler: string, affinitySeconds: number | undefined): string {
  return affinitySeconds === undefined
    ? `-s ${scheduler}`
    : `-s ${scheduler} -p ${affinitySeconds}`;
}

export interface Lines {
  /** The lines to carry out before packets are directed to the service. */
  readonly adding: readonly string[];
  /** The lines to carry out once no new packets are directed there. */
  readonly removing: readonly string[];
}

/** Returns the lines that change a service from one state to another; undefined stands for no service. */
export function changeLines(
  before: VirtualService | undefined,
  after: VirtualService | undefined,
): Lines {
  if (after === undefined) {
    return { adding: [], removing: before === undefined ? [] : [`-D ${before.key}`] };
  }
  const { key, settings, servers } = after;
  const adding: string[] = [];
  if (before === undefined) adding.push(`-A ${key} ${masked(after)}`);
  else if (before.settings !== settings) adding.push(`-E ${key} ${masked(after)}`);
  for (const [server, weight] of servers) {
    const old = before?.servers.get(server);
    if (old === weight) continue;
    adding.push(`${old === undefined ? "-a" : "-e"} ${key} -r ${server} -m -w ${weight}`);
  }
  const gone = [...(before?.servers.keys() ?? [])].filter((server) => !servers.has(server));
  return { adding, removing: gone.map((server) => `-d ${key} -r ${server}`) };
}

/** Reads the output of `ipvsadm --save`, by key. */
export function readServices(lines: readonly string[]): ReadonlyMap<string, VirtualService> {
  const found = new Map<string, { key: string; settings: string; servers: Map<string, number> }>();
  for (const line of lines) {
    const [, verb, key = "", rest = ""] = pattern.exec(line.trim()) ?? [];
    if (verb === "-A") found.set(key, { key, settings: withoutMask(rest), servers: new Map() });
    const [, server, weight] = /^-r (\S+) .*-w (\d+)/.exec(rest) ?? [];
    if (verb === "-a" && server !== undefined) found.get(key)?.servers.set(server, Number(weight));
  }
  return found;
}

const pattern = /^(-[Aa]) ((?:-t|-u|--sctp-service) \S+|-f \d+(?: -6)?) (.*)$/;

function withoutMask(settings: string): string {
  return settings.replace(/ -M \S+$/, "").trim();
}

/** Adds the mask of persistence, by which each client is remembered by its address, not by its network. */
function masked({ key, settings }: VirtualService): string {
  if (!settings.includes(" -p ")) return settings;
  return `${settings} -M ${/\[| -6$/.test(key) ? "128" : "255.255.255.255"}`;
}
