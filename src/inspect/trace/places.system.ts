// Finds every network namespace of this machine that has a name or a process.

import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { type CallOptions, type Commands, inNamespace } from "../../base/host/command.ts";
import { isNotFound } from "../../base/host/error.ts";
import { type CabledPlace, placesAround, shortName } from "./cables.ts";
import type { Place, Places } from "./places.ts";
import { readPlace } from "./read-place.ts";

interface Options extends CallOptions {
  readonly commands: Commands;
  /** The directories with named namespaces. */
  readonly directories: readonly string[];
  /** Further namespaces, which have better names here or are found nowhere else. */
  readonly named: readonly NamedNamespace[];
  /** The name for the network namespace of the first process. */
  readonly machine?: string;
}

export interface NamedNamespace {
  readonly name: string;
  readonly path: string;
}

/** Returns a namespace by its name for `ip netns`, or by its path. */
export function givenNamespace(text: string): NamedNamespace {
  return { name: text, path: text.includes("/") ? text : join("/run/netns", text) };
}

export async function systemPlaces(options: Options): Promise<Places> {
  const { commands, signal } = options;
  const found = new Map<number, NamedNamespace>();
  for await (const { name, path } of candidates(options)) {
    const inode = await inodeOf(path);
    if (inode !== undefined && !found.has(inode)) found.set(inode, { name, path });
  }
  const places = await Promise.all(
    [...found].map(([inode, { name, path }]) =>
      readPlace({ name, inode, commands: inNamespace(commands, path) }, { signal }).catch(
        unlessGone,
      ),
    ),
  );
  const all: readonly CabledPlace[] = places.filter((place) => place !== undefined);
  return {
    all,
    around: async (from: Place, call) => {
      const start = all.find((place) => place === from);
      return start === undefined ? [from] : placesAround(start, all, call);
    },
  };
}

/** Lists namespaces, those with names first; a namespace may occur twice. */
async function* candidates(options: Options): AsyncGenerator<NamedNamespace> {
  const { directories, named, machine = "this machine" } = options;
  yield* named;
  for (const directory of directories) {
    for (const name of await entries(directory)) {
      yield { name: shortName(name), path: join(directory, name) };
    }
  }
  yield { name: machine, path: "/proc/1/ns/net" };
  yield { name: "here", path: "/proc/self/ns/net" };
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

function unlessGone(error: unknown): undefined {
  if (isNotFound(error)) return undefined;
  throw error;
}

/** Processes end while they are read, and those of other users may not be read. */
function isGone(error: NodeJS.ErrnoException): undefined {
  if (["ENOENT", "ESRCH", "EACCES"].includes(error.code ?? "")) return undefined;
  throw error;
}
