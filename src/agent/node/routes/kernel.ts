// The kernel's side of routes and tunnels.
import type { CallOptions, Commands } from "../../../host/command.ts";
import { systemIp } from "../../../host/ip.system.ts";
import { families } from "../../../net/family.ts";
import type { ForwardingEntry, Present, PresentTunnel, RouteChanges } from "./changes.ts";

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

export function systemRoutesKernel(commands: Commands): RoutesKernel {
  const ip = systemIp(commands);
  const json = async (command: readonly string[], { signal }: CallOptions): Promise<unknown> => {
    const { stdout } = await commands.run(command, { signal });
    return stdout.trim() === "" ? [] : JSON.parse(stdout);
  };
  const readTunnels = async (options: CallOptions): Promise<PresentTunnel[]> => {
    const command = ["ip", "-json", "-details", "link", "show", "type", "vxlan"];
    return ((await json(command, options)) as readonly RawTunnel[]).flatMap((raw) => {
      const { local, local6 } = raw.linkinfo?.info_data ?? {};
      return raw.ifname === undefined ? [] : [{ link: raw.ifname, local: local ?? local6 ?? "" }];
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

  return {
    async read(options = {}) {
      const links = await ip.links(options);
      const routes = await Promise.all(families.map((family) => ip.routes(family, options)));
      if (!links.some(({ kind }) => kind === "vxlan")) {
        return { links, routes: routes.flat(), tunnels: [], neighbours: [], forwarding: [] };
      }
      const tunnels = await readTunnels(options);
      const forwarding = await Promise.all(
        tunnels.map(({ link }) => readForwarding(link, options)),
      );
      const neighbours = await ip.neighbours("IPv6", options);
      return { links, routes: routes.flat(), tunnels, neighbours, forwarding: forwarding.flat() };
    },
    async apply({ links, forwarding, routes }, options = {}) {
      await ip.batch(links, options);
      if (forwarding.length > 0) {
        const stdin = `${forwarding.join("\n")}\n`;
        await commands.run(["bridge", "-batch", "-"], { stdin, signal: options.signal });
      }
      await ip.batch(routes, options);
    },
  };
}
