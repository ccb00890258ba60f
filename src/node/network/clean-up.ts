// Removes everything of a node's network from the kernel: the attachments of its pods, links, routes and rules.

import type { CallOptions, Commands } from "../../base/host/command.ts";
import type { Files } from "../../base/host/files.ts";
import { systemIp } from "../../base/host/ip.system.ts";
import { systemNft } from "../../base/host/nft.system.ts";
import { type Family, families } from "../../base/net/family.ts";
import type { Log } from "../../base/program/log.ts";
import { systemPluginPath } from "./cni/plugin-path.system.ts";
import { CniRuntime } from "./cni/runtime.ts";
import { emptyChainsScript, isEmptyTable } from "./host-ports.ts";
import { bridgeName } from "./links/bridge.ts";
import { masqueradeTable } from "./links/masquerade.ts";
import { podTable, routeProtocol, rulePriority } from "./routes/changes.ts";

export interface CleanUpOptions {
  readonly commands: Commands;
  readonly files: Files;
  readonly log: Log;
  /** The directory of the agent in which attachments are recorded. */
  readonly runDirectory: string;
  readonly binDirectories: readonly string[];
}

const words: Readonly<Record<Family, string>> = { IPv4: "-4", IPv6: "-6" };
const ownLink = new RegExp(`^(${bridgeName}|tandem\\.ipv[46])$`);

/** What of a node's network is in the kernel now, as lines for people. */
export async function networkTraces({
  commands,
}: Pick<CleanUpOptions, "commands">): Promise<readonly string[]> {
  const links = (await systemIp(commands).links()).filter(({ name }) => ownLink.test(name));
  const tables = (await systemNft(commands).tables()).filter(
    ({ name }) => name === masqueradeTable.name,
  );
  const routes = await Promise.all(
    families.map(async (family) => {
      const shown = ["route", "show", "table", "all", "proto", routeProtocol];
      const { stdout } = await commands.run(["ip", words[family], ...shown]);
      return stdout.split("\n").filter(Boolean).length;
    }),
  );
  const count = routes.reduce((sum, each) => sum + each, 0);
  return [
    ...links.map(({ name }) => `link ${name}`),
    ...tables.map(({ family, name }) => `nftables table ${family} ${name}`),
    ...(count > 0 ? [`${count} routes to pods of other nodes`] : []),
  ];
}

export async function cleanUpNetwork(
  options: CleanUpOptions,
  call: CallOptions = {},
): Promise<void> {
  const { commands } = options;
  await detachAll(options, call);
  for (const prefix of ["", "6"]) await removeHostPorts(`ip${prefix}tables`, commands);
  await systemNft(commands).deleteTable(masqueradeTable, call);
  for (const family of families) {
    const ip = (line: readonly string[]) => commands.run(["ip", words[family], ...line], call);
    for (const table of ["main", podTable]) {
      const which = ["table", table, "proto", routeProtocol];
      const { stdout } = await commands.run(
        ["ip", words[family], "route", "show", "table", "all"],
        call,
      );
      if (stdout.includes(`proto ${routeProtocol}`)) await ip(["route", "flush", ...which]);
    }
    const { stdout: rules } = await ip(["rule", "show", "priority", rulePriority]);
    for (const _ of rules.split("\n").filter(Boolean)) {
      await ip(["rule", "del", "priority", rulePriority]);
    }
  }
  const present = (await systemIp(commands).links(call)).filter(({ name }) => ownLink.test(name));
  await systemIp(commands).batch(
    present.map(({ name }) => `link delete ${name}`),
    call,
  );
}

/** Removes the chains that the plugin for host ports leaves, and the table of them if nothing else is in it. */
async function removeHostPorts(program: string, commands: Commands): Promise<void> {
  const { stdout: saved } = await commands.run([`${program}-save`, "-t", "nat"]);
  const script = emptyChainsScript(saved);
  if (script === undefined) return;
  await commands.run([`${program}-restore`, "--noflush"], { stdin: script });
  const nft = systemNft(commands);
  const family = program === "iptables" ? "ip" : "ip6";
  const table = (await nft.tables()).find((each) => each.family === family && each.name === "nat");
  if (table !== undefined && isEmptyTable(await nft.text(table))) await nft.deleteTable(table);
}

/** Lets the plugins undo what they keep outside of pods' namespaces, such as rules of host ports. */
async function detachAll(options: CleanUpOptions, { signal }: CallOptions): Promise<void> {
  const { commands, files, log, runDirectory, binDirectories } = options;
  const path = systemPluginPath(binDirectories);
  const directory = `${runDirectory}/cni/attachments`;
  const runtime = new CniRuntime({ commands, files, path, directory });
  for (const container of await runtime.containers()) {
    for (const error of await runtime.deleteAll(container, { signal })) {
      log.warn("A network could not be undone", { sandbox: container, error });
    }
  }
}
