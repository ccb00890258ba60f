// Namespaces that live as long as the files they are bound to, with or without processes inside.

import { mkdir, rm, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sysctlPath } from "../../../api/kinds/pod.ts";
import type { Sysctl } from "../../../api/types/core.ts";
import type { CallOptions, Commands } from "../../../base/host/command.ts";
import type { UserRange } from "../../runtime/runtime.ts";
import { builtProgram } from "../../runtime/runtime.ts";
import type { SandboxNamespaces } from "./record.ts";

const kinds = [
  { name: "user", file: "user", flag: "--user" },
  { name: "network", file: "net", flag: "--net" },
  { name: "uts", file: "uts", flag: "--uts" },
  { name: "ipc", file: "ipc", flag: "--ipc" },
] as const;

export type NamespaceKind = (typeof kinds)[number]["name"];

/** Namespaces that belong to another user namespace are made from outside of it. */
const helper = () => builtProgram("tandem-sandbox");

/** What statfs(2) calls the file system of namespaces. */
const nsfs = 0x6e736673;

/**
 * Runs inside: the name, then pairs of a setting and its value. The name is written by the shell itself,
 * where the user is that of the machine's settings; an ordinary one takes another program.
 */
const setUp = `[ -z "$1" ] || { echo "$1" > /proc/sys/kernel/hostname; } 2> /dev/null || hostname "$1" || exit; shift
[ -z "$1" ] || ip link set lo up || exit; shift
while [ $# -gt 0 ]; do echo "$2" > "/proc/sys/$1" || exit; shift 2; done`;

export interface NamespaceRequest extends CallOptions {
  readonly directory: string;
  readonly kinds: readonly NamespaceKind[];
  readonly hostname: string;
  readonly sysctls: readonly Sysctl[];
  /** Of the user namespace, if there is to be one. */
  readonly users?: UserRange | undefined;
}

export function namespacePaths(
  directory: string,
  wanted: readonly NamespaceKind[],
): SandboxNamespaces {
  const chosen = kinds.filter(({ name }) => wanted.includes(name));
  return Object.fromEntries(chosen.map(({ name, file }) => [name, join(directory, file)]));
}

export async function makeNamespaces(commands: Commands, request: NamespaceRequest): Promise<void> {
  const { directory, hostname, sysctls, users, signal } = request;
  const paths = namespacePaths(directory, request.kinds);
  const chosen = kinds.filter(({ name }) => paths[name] !== undefined);
  if (chosen.length === 0) return;
  await mkdir(directory, { recursive: true });
  for (const { name } of chosen) await writeFile(paths[name] ?? "", "");
  const flags = chosen.map(({ name, flag }) => `${flag}=${paths[name]}`);
  const files = chosen.map(({ name, file }) => `${file}=${paths[name]}`);
  const making =
    users === undefined
      ? ["unshare", ...flags]
      : [helper(), "namespaces", `${users.first}`, `${users.count}`, ...files, "--"];
  const settings = [
    paths.uts === undefined ? "" : hostname,
    paths.network === undefined ? "" : "lo",
    ...sysctls.flatMap(({ name, value }) => [sysctlPath(name), value]),
  ];
  await commands.run([...making, "sh", "-c", setUp, "sh", ...settings], { signal });
}

export async function removeNamespaces(commands: Commands, directory: string): Promise<void> {
  for (const { file } of kinds) {
    const path = join(directory, file);
    // Several mounts may be on top of each other.
    while (await isNamespace(path)) await commands.run(["umount", "--lazy", path]);
    await rm(path, { force: true });
  }
}

/** Plugins take a namespace that is gone, but not a file that is none. */
export async function removeDeadFiles(directory: string): Promise<void> {
  for (const { file } of kinds) {
    const path = join(directory, file);
    if (!(await isNamespace(path))) await rm(path, { force: true });
  }
}

export async function areAlive(namespaces: SandboxNamespaces): Promise<boolean> {
  const checks = await Promise.all(kinds.map(({ name }) => isAliveOrNone(namespaces[name])));
  return checks.every(Boolean);
}

async function isAliveOrNone(path: string | undefined): Promise<boolean> {
  return path === undefined || (await isNamespace(path));
}

async function isNamespace(path: string): Promise<boolean> {
  try {
    return (await statfs(path)).type === nsfs;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}
