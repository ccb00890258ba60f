// Facts about this machine: the families it has, and the user that nginx's workers can run as.

import { networkInterfaces } from "node:os";
import type { Commands } from "../../../base/host/command.ts";
import { CommandError } from "../../../base/host/error.ts";
import type { Files } from "../../../base/host/files.ts";
import { Address } from "../../../base/net/address.ts";
import { type Family, families } from "../../../base/net/family.ts";
import type { NginxFeatures } from "../render/nginx.ts";

/** The families that nginx can listen on; loopback is enough for that. */
export function ownFamilies(): readonly Family[] {
  return familiesOf(() => true);
}

/** The families that backends can be reached by; all of them if only loopback is visible. */
export function reachableFamilies(): readonly Family[] {
  const found = familiesOf((address) => !address.isLoopback && !address.isLinkLocal);
  return found.length > 0 ? found : families;
}

/** The features of the installed nginx, by its version. */
export async function nginxFeatures(commands: Commands): Promise<NginxFeatures> {
  const { stderr } = await commands.run(["nginx", "-v"]);
  const version = (/nginx\/([\d.]+)/.exec(stderr)?.[1] ?? "").split(".").map(Number);
  return {
    hasHttp2Directive: isSince(version, [1, 25, 1]),
    sparesIdleConnections: isSince(version, [1, 27, 4]),
  };
}

function isSince(version: readonly number[], first: readonly number[]): boolean {
  const differs = first.findIndex((part, index) => part !== (version[index] ?? 0));
  return differs === -1 || (version[differs] ?? 0) > (first[differs] ?? 0);
}

const ordinaryUser = "www-data";

/** The unprivileged user for workers who can use the directory; undefined unless this process is root. */
export async function workerUser(
  directory: string,
  commands: Commands,
): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const become = [`--reuid=${ordinaryUser}`, `--regid=${ordinaryUser}`, "--clear-groups"];
  try {
    await commands.run(["setpriv", ...become, "--", "test", "-x", directory]);
    return ordinaryUser;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return "root";
  }
}

const mostConnections = 16_384;

/** The number of connections a worker can have: the limit of open files, which it inherits, less some. */
export async function possibleConnections(files: Files): Promise<number> {
  const limits = await files.read("/proc/self/limits");
  const openFiles = Number(/^Max open files +(\d+)/m.exec(limits ?? "")?.[1] ?? 1_024);
  return Math.min(mostConnections, Math.max(256, openFiles - 128));
}

function familiesOf(counts: (address: Address) => boolean): readonly Family[] {
  const addresses = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .map(({ address }) => Address.tryParse(address.replace(/%.*/, "")))
    .filter((address) => address !== undefined);
  return families.filter((family) =>
    addresses.some((address) => address.family === family && counts(address)),
  );
}
