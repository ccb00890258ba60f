// Every network namespace that has a name or a process on this machine.

import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { type CallOptions, type Commands, inNamespace } from "../../host/command.ts";
import { systemIp } from "../../host/ip.system.ts";
import { families } from "../../net/family.ts";
import type { Place, Places } from "./places.ts";

interface Options {
  readonly commands: Commands;
  /** Where namespaces have names. */
  readonly directories: readonly string[];
}

export function systemPlaces({ commands, directories }: Options): Places {
  return {
    async list(options) {
      const found = new Map<number, Named>();
      for await (const { name, path } of candidates(directories)) {
        const inode = await inodeOf(path);
        if (inode !== undefined && !found.has(inode)) found.set(inode, { name, path });
      }
      return Promise.all(
        [...found.values()].map(({ name, path }) =>
          readPlace({ name, commands: inNamespace(commands, path) }, options),
        ),
      );
    },
  };
}

/** The namespace of that name, or at that path. */
export function namespacePath(text: string): string {
  return text.includes("/") ? text : join("/run/netns", text);
}

/** A namespace that is given rather than found. */
export async function readPlace(
  place: Pick<Place, "name" | "commands">,
  options?: CallOptions,
): Promise<Place> {
  const ip = systemIp(place.commands);
  const lists = await Promise.all(families.map((family) => ip.addresses(family, options)));
  const addresses = lists.flat().map(({ address }) => address);
  return { ...place, addresses: addresses.filter((one) => !one.isLoopback && !one.isLinkLocal) };
}

interface Named {
  readonly name: string;
  readonly path: string;
}

/** First those with names; a namespace may have both. */
async function* candidates(directories: readonly string[]): AsyncGenerator<Named> {
  yield { name: "this machine", path: "/proc/self/ns/net" };
  for (const directory of directories) {
    for (const name of await entries(directory)) yield { name, path: join(directory, name) };
  }
  for (const pid of await entries("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    const program = await readFile(`/proc/${pid}/comm`, "utf8").catch(isGone);
    if (program === undefined) continue;
    yield { name: `${program.trim()}[${pid}]`, path: `/proc/${pid}/ns/net` };
  }
}

async function inodeOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(isGone))?.ino;
}

async function entries(directory: string): Promise<readonly string[]> {
  return (await readdir(directory).catch(isGone)) ?? [];
}

/** Processes end while we look at them, and others' may not be looked at. */
function isGone(error: NodeJS.ErrnoException): undefined {
  if (["ENOENT", "ESRCH", "EACCES"].includes(error.code ?? "")) return undefined;
  throw error;
}
