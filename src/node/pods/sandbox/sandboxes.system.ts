// The sandbox of a pod: the namespaces and interfaces that its containers share.

import { mkdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Pod } from "../../../api/types/core.ts";
import type { Commands } from "../../../base/host/command.ts";
import { systemFiles } from "../../../base/host/files.system.ts";
import type { Random } from "../../../base/host/random.ts";
import type { UserRange } from "../../runtime/runtime.ts";
import { endMentioning, systemIdentity } from "../../runtime/runtime.ts";
import type { PodNetwork } from "../port.ts";
import { kernelHostname } from "./hostname.ts";
import type { MakeOptions, SandboxKeeper } from "./keeper.ts";
import {
  areAlive,
  makeNamespaces,
  type NamespaceKind,
  namespacePaths,
  removeDeadFiles,
  removeNamespaces,
} from "./namespaces.system.ts";
import { readRecord, type SandboxRecord, writeRecord } from "./record.ts";
import { freeRange } from "./users.ts";

export interface SandboxesOptions {
  readonly commands: Commands;
  readonly network: PodNetwork;
  readonly random: Random;
  /** The directory with one folder for each pod, named by its uid. */
  readonly directory: string;
  readonly domain: string;
}

export class Sandboxes implements SandboxKeeper {
  readonly #options: SandboxesOptions;
  /** The ids of the sandboxes that this process made. */
  readonly #own = new Set<string>();

  constructor(options: SandboxesOptions) {
    this.#options = options;
  }

  async list(): Promise<ReadonlyMap<string, SandboxRecord | undefined>> {
    const uids = await systemFiles.list(this.#options.directory);
    const entries = await Promise.all(
      uids.map(async (uid) => [uid, await this.find(uid)] as const),
    );
    return new Map(entries);
  }

  async find(uid: string): Promise<SandboxRecord | undefined> {
    const text = await systemFiles.read(this.#recordPath(uid));
    return text === undefined ? undefined : readRecord(text);
  }

  async isAlive(record: SandboxRecord): Promise<boolean> {
    return record.isReady && (await areAlive(record.namespaces));
  }

  async make(pod: Pod, { preferred, signal }: MakeOptions): Promise<SandboxRecord> {
    const { commands, domain } = this.#options;
    const { uid = "", namespace, name } = pod.metadata;
    const hostname = kernelHostname(pod, domain);
    const directory = join(this.#options.directory, uid);
    const kinds = namespaceKindsOf(pod);
    const namespaces = namespacePaths(directory, kinds);
    const id = Buffer.from(this.#options.random.bytes(16)).toString("hex");
    const users = pod.spec.hostUsers === false ? await this.#freeUsers() : undefined;
    const made = { id, uid, namespace, name, isReady: false, namespaces, addresses: [] };
    const record: SandboxRecord = users === undefined ? made : { ...made, users };
    this.#own.add(id);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    // The record is written before anything is made, so that it can be undone after a crash.
    await this.#write(record);
    try {
      const sysctls = pod.spec.securityContext?.sysctls ?? [];
      await makeNamespaces(commands, { directory, kinds, hostname, sysctls, users, signal });
      const addresses = await this.#attach(pod, record, { preferred, ...(signal && { signal }) });
      const ready = { ...record, addresses, isReady: true };
      await this.#write(ready);
      return ready;
    } catch (error) {
      await this.remove(uid);
      throw error;
    }
  }

  /**
   * Interfaces go first, since plugins need the namespace. What the plugins cannot undo goes with the
   * namespace; what they hold for it elsewhere is freed by their garbage collection.
   */
  async remove(uid: string): Promise<readonly string[]> {
    const { network, commands } = this.#options;
    const directory = join(this.#options.directory, uid);
    // A new pod has no folder yet.
    if ((await stat(directory, { throwIfNoEntry: false })) === undefined) return [];
    const record = await this.find(uid);
    if (record !== undefined) await this.#endMakersOf(record);
    await removeDeadFiles(directory);
    const left = record === undefined ? [] : await network.detach(record.id);
    await removeNamespaces(commands, directory);
    await rm(this.#recordPath(uid), { force: true });
    if (record !== undefined) this.#own.delete(record.id);
    return left;
  }

  /**
   * Ends the programs by which a killed agent was making the sandbox. A plugin that went on would reserve
   * addresses after they have been released, or take over those of the pod's next sandbox and release them.
   */
  async #endMakersOf({ id, isReady, namespaces }: SandboxRecord): Promise<void> {
    if (isReady || this.#own.has(id)) return;
    const paths = Object.values<string>({ ...namespaces });
    for (const path of paths) await endMentioning(path, ["cmdline", "environ"]);
  }

  /** Returns a range of user ids that no other pod of this node has. */
  async #freeUsers(): Promise<UserRange> {
    if ((await systemIdentity()).isRootless) {
      throw new Error("Cannot use spec.hostUsers false: this node has no users to give to pods");
    }
    const records = [...(await this.list()).values()];
    return freeRange(
      records.flatMap((record) => record?.users ?? []),
      this.#options.random,
    );
  }

  async #attach(pod: Pod, record: SandboxRecord, { preferred, signal }: MakeOptions) {
    const { network: namespace } = record.namespaces;
    if (namespace === undefined) return [];
    const request = { pod, sandbox: record.id, namespace, preferred, signal };
    const addresses = await this.#options.network.attach(request);
    if (addresses.some(({ address }) => !address.isLinkLocal)) return addresses;
    throw new Error("Cannot use the network: its plugins gave the pod no address");
  }

  async #write(record: SandboxRecord): Promise<void> {
    await systemFiles.write(this.#recordPath(record.uid), writeRecord(record), { mode: 0o600 });
  }

  #recordPath(uid: string): string {
    return join(this.#options.directory, uid, "sandbox.json");
  }
}

function namespaceKindsOf({ spec }: Pod): readonly NamespaceKind[] {
  const { hostNetwork = false, hostIPC = false, hostUsers = true } = spec;
  // Every pod has a UTS namespace: with hostNetwork its hostname is the node's name, which need not be the
  // machine's.
  return [
    ...(hostUsers ? [] : (["user"] as const)),
    ...(hostNetwork ? [] : (["network"] as const)),
    "uts",
    ...(hostIPC ? [] : (["ipc"] as const)),
  ];
}
