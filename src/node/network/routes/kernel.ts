// Reads and changes routes and tunnels of the kernel.
import type { CallOptions, Commands } from "../../../base/host/command.ts";
import { systemIp } from "../../../base/host/ip.system.ts";
import type { Route } from "../../../base/host/ip.ts";
import { readRoutes } from "../../../base/host/ip-json.ts";
import { bitsOf, type Family, families } from "../../../base/net/family.ts";
import { Prefix } from "../../../base/net/prefix.ts";
import {
  type ForwardingEntry,
  type Present,
  type PresentTunnel,
  podTable,
  type RouteChanges,
  routeProtocol,
  rulePriority,
} from "./changes.ts";

export interface RoutesKernel {
  read(options?: CallOptions): Promise<Present>;
  apply(changes: RouteChanges, options?: CallOptions): Promise<void>;
}

interface RawTunnel {
  readonly ifname?: string;
  readonly linkinfo?: {
    readonly info_data?: { readonly local?: string; readonly local6?: string };
  };
}

interface RawForwarding {
  readonly ifname?: string;
  readonly mac?: string;
  readonly dst?: string;
}

interface RawRule {
  readonly src?: string;
  readonly srclen?: number;
  readonly table?: string;
}

const flag: Readonly<Record<Family, string>> = { IPv4: "-4", IPv6: "-6" };

export function systemRoutesKernel(commands: Commands): RoutesKernel {
  const ip = systemIp(commands);
  const json = async (command: readonly string[], { signal }: CallOptions): Promise<unknown> => {
    const { stdout } = await commands.run(command, { signal });
    return stdout.trim() === "" ? [] : JSON.parse(stdout);
  };
  const readTunnels = async (options: CallOptions): Promise<PresentTunnel[]> => {
    const command = ["ip", "-json", "-details", "link", "show", "type", "vxlan"];
    const found = await Promise.all(families.map((family) => ip.addresses(family, options)));
    const given = found.flat().filter(({ address }) => !address.isLinkLocal);
    return ((await json(command, options)) as readonly RawTunnel[]).flatMap((raw) => {
      const { local, local6 } = raw.linkinfo?.info_data ?? {};
      const { ifname: link } = raw;
      if (link === undefined) return [];
      const own = given.filter((each) => each.link === link).map(({ address }) => address);
      return [{ link, local: local ?? local6 ?? "", addresses: own }];
    });
  };
  const readForwarding = async (
    link: string,
    options: CallOptions,
  ): Promise<readonly ForwardingEntry[]> => {
    const command = ["bridge", "-json", "fdb", "show", "dev", link];
    return ((await json(command, options)) as readonly RawForwarding[]).flatMap(
      ({ mac, dst: remote }) =>
        mac === undefined || remote === undefined ? [] : [{ link, mac, remote }],
    );
  };
  /** Reads the routes of all tables, since asking for a table that does not exist is an error. */
  const readPodRoutes = async (family: Family, options: CallOptions): Promise<readonly Route[]> => {
    const which = ["route", "show", "table", "all", "proto", routeProtocol];
    const all = (await json(["ip", "-json", flag[family], ...which], options)) as readonly {
      readonly table?: string;
    }[];
    return readRoutes(JSON.stringify(all.filter(({ table }) => table === podTable)), family);
  };
  const readPodSources = async (
    family: Family,
    options: CallOptions,
  ): Promise<readonly Prefix[]> => {
    const command = ["ip", "-json", flag[family], "rule", "show", "priority", rulePriority];
    return ((await json(command, options)) as readonly RawRule[]).flatMap(
      ({ src = "", srclen, table }) =>
        table === podTable ? [Prefix.parse(`${src}/${srclen ?? bitsOf(family)}`)] : [],
    );
  };

  return {
    async read(options = {}) {
      const links = await ip.links(options);
      const routes = await Promise.all(families.map((family) => ip.routes(family, options)));
      if (!links.some(({ kind }) => kind === "vxlan")) {
        return { ...withoutTunnels, links, routes: routes.flat() };
      }
      const tunnels = await readTunnels(options);
      const forwarding = await Promise.all(
        tunnels.map(({ link }) => readForwarding(link, options)),
      );
      const neighbours = await ip.neighbours("IPv6", options);
      const podRoutes = await Promise.all(families.map((each) => readPodRoutes(each, options)));
      const podSources = await Promise.all(families.map((each) => readPodSources(each, options)));
      return {
        links,
        routes: routes.flat(),
        podRoutes: podRoutes.flat(),
        podSources: podSources.flat(),
        tunnels,
        neighbours,
        forwarding: forwarding.flat(),
      };
    },
    async apply({ links, forwarding, routes, rules }, options = {}) {
      await ip.batch(links, options);
      if (forwarding.length > 0) {
        const stdin = `${forwarding.join("\n")}\n`;
        await commands.run(["bridge", "-batch", "-"], { stdin, signal: options.signal });
      }
      await ip.batch(routes, options);
      for (const family of families) {
        if (rules[family].length === 0) continue;
        const stdin = `${rules[family].join("\n")}\n`;
        await commands.run(["ip", flag[family], "-batch", "-"], { stdin, signal: options.signal });
      }
    },
  };
}

const withoutTunnels = {
  podRoutes: [],
  podSources: [],
  tunnels: [],
  neighbours: [],
  forwarding: [],
} as const;
