import { mkdir, open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { CallOptions, Commands } from "../command.ts";
import { systemFiles } from "../files.system.ts";
import type { Locks } from "../lock.ts";
import { isNamespaceFile } from "../namespace-file.system.ts";
import { type NetworkNamespaces, namespaceExists } from "./netns.ts";
import { checkNamespaceName } from "./netns-name.ts";

interface Options {
  readonly commands: Commands;
  readonly locks: Locks;
  /** The directory of the names; `ip netns` sees those in /run/netns, which is the default. */
  readonly directory?: string;
}

export function systemNetworkNamespaces(options: Options): NetworkNamespaces {
  return new SystemNetworkNamespaces(options);
}

const directoryOfIp = "/run/netns";
class SystemNetworkNamespaces implements NetworkNamespaces {
  readonly #commands: Commands;
  readonly #locks: Locks;
  readonly #directory: string;

  constructor({ commands, locks, directory = directoryOfIp }: Options) {
    this.#commands = commands;
    this.#locks = locks;
    this.#directory = directory;
  }

  path(name: string): string {
    checkNamespaceName(name);
    return join(this.#directory, name);
  }

  async create(name: string, options: CallOptions = {}): Promise<string> {
    const path = this.path(name);
    await this.#prepareDirectory(options);
    await this.#claim(path);
    try {
      const loopbackUp = ["ip", "link", "set", "lo", "up"];
      await this.#commands.run(["unshare", `--net=${path}`, ...loopbackUp], options);
    } catch (error) {
      await this.delete(name);
      throw error;
    }
    return path;
  }

  async delete(name: string, options: CallOptions = {}): Promise<void> {
    const path = this.path(name);
    // Mounts may be stacked, when another process has mounted over ours: each turn removes one.
    while (await isNamespaceFile(path)) await this.#unmount(path, options);
    await rm(path, { force: true });
  }

  exists(name: string): Promise<boolean> {
    return isNamespaceFile(this.path(name));
  }

  async list(prefix = ""): Promise<readonly string[]> {
    const names = await systemFiles.list(this.#directory);
    return names.filter((name) => name.startsWith(prefix));
  }

  /** Creates the file to mount on. Of several processes that try, one succeeds. */
  async #claim(path: string): Promise<void> {
    try {
      await (await open(path, "wx", 0o444)).close();
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause;
      throw namespaceExists(path, cause as Error);
    }
  }

  async #unmount(path: string, options: CallOptions): Promise<void> {
    try {
      await this.#commands.run(["umount", "--lazy", path], options);
    } catch (error) {
      // Another process may have unmounted it meanwhile.
      if (await isNamespaceFile(path)) throw error;
    }
  }

  /**
   * Binds the directory over itself as the first `ip netns add` on a machine does, which would hide for good
   * what we mounted there before. It happens under the same lock that ip takes.
   */
  async #prepareDirectory(options: CallOptions): Promise<void> {
    await mkdir(this.#directory, { recursive: true });
    if (this.#directory !== directoryOfIp || (await mountState(directoryOfIp)) === "shared") return;
    await using _ = await this.#locks.acquire(directoryOfIp, options);
    if ((await mountState(directoryOfIp)) === "none") {
      await this.#commands.run(["mount", "--rbind", directoryOfIp, directoryOfIp], options);
    }
    await this.#commands.run(["mount", "--make-rshared", directoryOfIp], options);
  }
}

async function mountState(path: string): Promise<"none" | "private" | "shared"> {
  const mounts = (await readFile("/proc/self/mountinfo", "utf8")).split("\n");
  const fields = mounts.map((line) => line.split(" ")).findLast((found) => found[4] === path);
  if (fields === undefined) return "none";
  return fields[6]?.startsWith("shared:") ? "shared" : "private";
}
