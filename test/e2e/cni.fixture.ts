// A node in a namespace with a CNI runtime, and pods in namespaces beside it.

import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Commands } from "../../src/base/host/command.ts";
import { systemFiles } from "../../src/base/host/files.system.ts";
import { systemIp } from "../../src/base/host/ip.system.ts";
import { Prefix } from "../../src/base/net/prefix.ts";
import { openDatastore } from "../../src/node/ipam/datastore/open.ts";
import { type Attachment, podArguments } from "../../src/node/network/cni/attachment.ts";
import { systemPluginPath } from "../../src/node/network/cni/plugin-path.system.ts";
import { CniRuntime } from "../../src/node/network/cni/runtime.ts";
import { openSandbox, type Sandbox } from "./host/sandbox.ts";

type Place = Awaited<ReturnType<Sandbox["enter"]>>;

export type IpamKind = "host-local" | "tandem-ipam";

export interface CniNode extends Place {
  readonly name: string;
  /** The directory of the test's files. */
  readonly directory: string;
  /** The directory in which runtimes remember attachments. */
  readonly cacheDirectory: string;
  /** Opens a new runtime, which knows the attachments of earlier ones. */
  runtime(options?: { timeoutMs?: number; plugins?: string }): CniRuntime;
  /** Makes an empty network namespace, and the attachment that the runtime is told about. */
  pod(name: string): Promise<PodPlace>;
  ipam(kind: IpamKind, ranges?: readonly string[]): Readonly<Record<string, unknown>>;
  /** Counts the links of the node, the reserved addresses, and the remembered attachments. */
  census(): Promise<Census>;
  /**
   * Counts likewise, once at most so many links are left or a minute has passed: the kernel removes veths
   * of ended namespaces asynchronously.
   */
  censusWithin(links: number): Promise<Census>;
}

export interface PodPlace extends Place {
  readonly attachment: Attachment;
  /** Removes the namespace while plugins may still use it. */
  readonly die: () => Promise<void>;
}

interface Census {
  readonly links: number;
  readonly reservations: number;
  readonly remembered: number;
}

export async function openCniSandbox(): Promise<(name: string) => Promise<CniNode>> {
  const sandbox = await openSandbox();
  return async (name) => {
    const place = await sandbox.enter(name);
    await skipDuplicateDetection(place.commands);
    const directory = join(sandbox.scratch, name);
    const [cache, local, tandem] = ["cache", "host-local", "tandem-ipam"].map((part) =>
      join(directory, part),
    ) as [string, string, string];
    const census = async (): Promise<Census> => ({
      links: (await systemIp(place.commands).links()).length,
      reservations: (await heldByHostLocal(local)) + (await heldByTandem(tandem)),
      remembered: (await systemFiles.list(cache)).length,
    });
    return {
      ...place,
      name,
      directory,
      cacheDirectory: cache,
      runtime: ({ timeoutMs = 30_000, plugins } = {}) =>
        new CniRuntime({
          commands: place.commands,
          files: systemFiles,
          path: systemPluginPath([
            ...(plugins === undefined ? [] : [plugins]),
            build,
            distribution,
          ]),
          directory: cache,
          timeoutMs,
        }),
      async pod(pod) {
        const inside = await sandbox.enter(`${name}-${pod}`);
        await skipDuplicateDetection(inside.commands);
        const container = `${name}-${pod}`;
        const args = podArguments({ namespace: "default", name: pod, uid: pod, container });
        const attachment = { container, interface: "eth0", namespace: inside.path, args };
        const die = () => sandbox.namespaces.delete(basename(inside.path));
        return { ...inside, attachment, die };
      },
      ipam: (kind, ranges = ["10.66.0.0/24", "fd66::/64"]) =>
        kind === "host-local"
          ? {
              type: kind,
              dataDir: local,
              ranges: ranges.map((subnet) => [{ subnet }]),
            }
          : {
              type: kind,
              datastore: "local",
              data_dir: tandem,
              ipRanges: ranges.map((range) => ({ range, gateway: gatewayOf(range) })),
            },
      census,
      async censusWithin(links) {
        for (const deadline = Date.now() + 60_000; ; await sleep(20)) {
          const found = await census();
          if (found.links <= links || Date.now() > deadline) return found;
        }
      },
    };
  };
}

const build = join(import.meta.dirname, "../../build");
const distribution = "/usr/lib/cni";

/** Returns the gateway of a range, its first address; some plugins want one of each family. */
function gatewayOf(range: string): string {
  return Prefix.parse(range).at(1n).toString();
}

/**
 * Switches duplicate address detection off, which takes a second or two for every address and is not
 * under test.
 */
async function skipDuplicateDetection(commands: Commands): Promise<void> {
  const keys = ["all", "default"].map((which) => `net.ipv6.conf.${which}.accept_dad=0`);
  await commands.run(["sysctl", "--quiet", "--write", ...keys]);
}

/**
 * Counts the addresses that host-local holds: it has a file for each, beside a lock and a note of the
 * last one.
 */
async function heldByHostLocal(directory: string): Promise<number> {
  const networks = await systemFiles.list(directory);
  const files = await Promise.all(networks.map((name) => systemFiles.list(join(directory, name))));
  return files.flat().filter((name) => /^[0-9a-f]+[.:]/.test(name)).length;
}

async function heldByTandem(dataDir: string): Promise<number> {
  if ((await systemFiles.list(dataDir)).length === 0) return 0;
  const datastore = await openDatastore({ type: "local", dataDir });
  try {
    return (await datastore.reservations()).length;
  } finally {
    await datastore.close();
  }
}
