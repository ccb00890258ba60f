import type { Family } from "../net/family.ts";
import type { CallOptions, Commands } from "./command.ts";
import { CommandError } from "./error.ts";
import { batchFailed } from "./ip/batch-error.ts";
import type { Ip } from "./ip.ts";
import { readAddresses, readLinks, readNeighbours, readRoutes } from "./ip-json.ts";

export function systemIp(commands: Commands): Ip {
  const show = async (args: readonly string[], { signal }: CallOptions): Promise<string> =>
    (await commands.run(["ip", "-json", ...args], { signal })).stdout;

  return {
    async batch(lines, { signal } = {}) {
      if (lines.length === 0) return;
      const stdin = `${lines.join("\n")}\n`;
      try {
        await commands.run(["ip", "-batch", "-"], { stdin, signal });
      } catch (error) {
        throw batchFailed(lines, error);
      }
    },
    links: async (options = {}) => readLinks(await show(["-details", "link", "show"], options)),
    addresses: async (family, options = {}) =>
      readAddresses(await show([flag[family], "address", "show"], options)),
    routes: async (family, { table = "main", ...options } = {}) =>
      readRoutes(await show([flag[family], "route", "show", "table", table], options), family),
    async sourceTo(address, options = {}) {
      try {
        const found = await show([flag[address.family], "route", "get", String(address)], options);
        return readRoutes(found, address.family)[0]?.source;
      } catch (error) {
        if (error instanceof CommandError && /unreachable/i.test(error.stderr)) return undefined;
        throw error;
      }
    },
    neighbours: async (family, options = {}) =>
      readNeighbours(await show([flag[family], "neighbour", "show"], options)),
  };
}

const flag: Readonly<Record<Family, string>> = { IPv4: "-4", IPv6: "-6" };
