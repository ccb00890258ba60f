// Records of running clusters: enough to find them, and to end them after any failure.

import { rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Files } from "../../base/host/files.ts";
import type { Lock, Locks } from "../../base/host/lock.ts";
import { systemCode } from "../../base/program/errors.ts";
import type { ProcessId } from "./processes.ts";

export interface ClusterRecord extends ProcessId {
  readonly name: string;
  readonly dataDir: string;
  /** The port of the API on this machine's loopback. */
  readonly port: number;
}

export class ClusterRecords {
  readonly #directory: string;
  readonly #files: Files;
  readonly #locks: Locks;

  constructor(directory: string, { files, locks }: { files: Files; locks: Locks }) {
    this.#directory = directory;
    this.#files = files;
    this.#locks = locks;
  }

  async read(name: string): Promise<ClusterRecord | undefined> {
    const text = await this.#files.read(this.#path(name));
    return text === undefined ? undefined : (JSON.parse(text) as ClusterRecord);
  }

  async names(): Promise<readonly string[]> {
    const files = await this.#files.list(this.#directory);
    return files.flatMap((file) => (/^([^.].*)\.json$/.exec(file) ?? []).slice(1));
  }

  async write(record: ClusterRecord): Promise<void> {
    await this.#files.write(this.#path(record.name), JSON.stringify(record), { mode: 0o600 });
  }

  /** Removes a record, and the directory with the last one. The caller must hold the lock. */
  async remove(name: string): Promise<void> {
    await this.#files.remove(this.#path(name));
    await this.#files.removeUnfinishedWrites(this.#directory);
    try {
      await rmdir(this.#directory);
    } catch (error) {
      const code = systemCode(error) ?? "";
      if (!["ENOENT", "ENOTEMPTY", "EEXIST"].includes(code)) throw error;
    }
  }

  /** Locks the records: clusters are brought up and taken down one at a time. */
  async lock(options: { readonly signal?: AbortSignal } = {}): Promise<Lock> {
    for (;;) {
      await this.#files.makePrivateDirectory(this.#directory);
      const lock = await this.#locks.acquire(this.#directory, options);
      if (await this.#isLocked()) return lock;
      await lock.release();
    }
  }

  /** Whether the locked directory still exists: its previous holder may have removed it. */
  async #isLocked(): Promise<boolean> {
    try {
      return (await stat(this.#directory)).isDirectory();
    } catch (error) {
      if (systemCode(error) === "ENOENT") return false;
      throw error;
    }
  }

  #path(name: string): string {
    return join(this.#directory, `${name}.json`);
  }
}
