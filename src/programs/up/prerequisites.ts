// Programs that a cluster needs to be installed on the machine.

import { access, constants } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../../base/program/errors.ts";
import type { ClusterSettings } from "./settings.ts";

/** Program → the Debian package that has it. */
const packages: Readonly<Record<string, string>> = {
  unshare: "util-linux",
  nsenter: "util-linux",
  mount: "mount",
  sysctl: "procps",
  ip: "iproute2",
  nft: "nftables",
  iptables: "iptables",
  conntrack: "conntrack",
  runc: "runc",
  conmon: "conmon",
};

const pluginDirectories = ["/opt/cni/bin", "/usr/lib/cni"];

export class NotInstalledError extends Error {
  override readonly name = "NotInstalledError";
  readonly hint: string;

  constructor(programs: readonly string[], missing: readonly string[]) {
    super(`Cannot bring up a cluster: ${programs.join(", ")} cannot be found on this machine`);
    this.hint = `Run 'apt-get install ${[...new Set(missing)].join(" ")}', or 'make up'.`;
  }
}

export async function checkInstalled(settings: ClusterSettings, path: string): Promise<void> {
  const missing = await missingPrograms(settings, path);
  if (missing.size > 0) throw new NotInstalledError([...missing.keys()], [...missing.values()]);
}

/** Finds the programs that are not installed: each with the Debian package that has it. */
export async function missingPrograms(
  {
    store,
    network,
    controlPlanes,
    ingress,
  }: Pick<ClusterSettings, "store" | "network" | "controlPlanes" | "ingress">,
  path: string,
): Promise<ReadonlyMap<string, string>> {
  const directories = [...path.split(":"), "/usr/sbin", "/sbin"];
  const wanted: Readonly<Record<string, string>> = {
    ...packages,
    ...(store === "etcd" ? { etcd: "etcd-server" } : {}),
    ...(controlPlanes > 1 ? { keepalived: "keepalived", haproxy: "haproxy" } : {}),
    ...(ingress ? { nginx: "nginx" } : {}),
  };
  const programs = await Promise.all(
    Object.keys(wanted).map(async (name) => ((await isFound(name, directories)) ? [] : [name])),
  );
  const plugin = (await isFound(network, pluginDirectories)) ? [] : [`the CNI plugin ${network}`];
  const missing = [...programs.flat(), ...plugin];
  return new Map(missing.map((name) => [name, wanted[name] ?? "containernetworking-plugins"]));
}

async function isFound(name: string, directories: readonly string[]): Promise<boolean> {
  for (const directory of directories) {
    try {
      await access(join(directory, name), constants.X_OK);
      return true;
    } catch (error) {
      const code = systemCode(error) ?? "";
      if (!["ENOENT", "EACCES", "ENOTDIR"].includes(code)) throw error;
    }
  }
  return false;
}
