// Namespaces that are bind-mounted to files, so that they persist without processes inside.

import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sysctlPath } from "../../../api/kinds/pod.ts";
import type { Sysctl } from "../../../api/types/core.ts";
import type { CallOptions, Commands } from "../../../base/host/command.ts";
import { isNamespaceFile } from "../../../base/host/namespace-file.system.ts";
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

/** The helper program makes namespaces that are owned by a new user namespace, from outside of it. */
const helper = () => builtProgram("tandem-sandbox");

/**
 * The script that runs inside of the new namespaces. Arguments: the hostname, "lo" to bring up loopback, then
 * pairs of a sysctl and its value. The shell writes the hostname itself where its user owns /proc/sys; in a
 * user namespace it does not, and the program `hostname` sets the name.
 */
const setUp = `[ -z "$1" ] || { echo "$1" > /proc/sys/kernel/hostname; } 2> /dev/null || hostname "$1" || exit; shift
[ -z "$1" ] || ip link set lo up || exit; shift
while [ $# -gt 0 ]; do echo "$2" > "/proc/sys/$1" || exit; shift 2; done`;

export interface NamespaceRequest extends CallOptions {
  readonly directory: string;
  readonly kinds: readonly NamespaceKind[];
  readonly hostname: string;
  readonly sysctls: readonly Sysctl[];
  /** The user ids of the user namespace, if there is to be one. */
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
    // The file may have several mounts on top of each other.
    while (await isNamespaceFile(path)) await commands.run(["umount", "--lazy", path]);
    await rm(path, { force: true });
  }
}

/** Removes files that are no namespaces: CNI plugins accept a missing namespace, but not a plain file. */
export async function removeDeadFiles(directory: string): Promise<void> {
  for (const { file } of kinds) {
    const path = join(directory, file);
    if (!(await isNamespaceFile(path))) await rm(path, { force: true });
  }
}

export async function areAlive(namespaces: SandboxNamespaces): Promise<boolean> {
  const checks = await Promise.all(kinds.map(({ name }) => isAliveOrNone(namespaces[name])));
  return checks.every(Boolean);
}

async function isAliveOrNone(path: string | undefined): Promise<boolean> {
  return path === undefined || (await isNamespaceFile(path));
}
