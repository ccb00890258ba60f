// Volumes that are directories of this node: made when a pod first uses them, removed when their object is
// deleted with the reclaim policy Delete. Nothing is removed because an object is missing: a server that was
// restored from yesterday's copy does not know the volumes of today.

import { once } from "node:events";
import { join } from "node:path";
import type { Client } from "../../../api/client/client.ts";
import { isNotFound } from "../../../api/client/errors.ts";
import { Informer, type InformerSettings } from "../../../api/client/informer.ts";
import { WorkQueue } from "../../../api/client/work-queue.ts";
import {
  directoriesOfNode,
  directoryFinalizer,
  directoryOf,
  nodeOfDirectory,
  volumeProtection,
} from "../../../api/kinds/storage.ts";
import type { PersistentVolume } from "../../../api/types/core.ts";

export interface DirectoryVolumesOptions extends InformerSettings {
  readonly client: Client;
  /** The name of the node. */
  readonly node: string;
  /** The folder that holds the directories; only the agent may enter it. */
  readonly directory: string;
  readonly directories: VolumeDirectories;
}

/** The directories of volumes on the disk. */
export interface VolumeDirectories {
  /** Returns the names in the folder that holds them. */
  list(folder: string): Promise<readonly string[]>;
  /** Makes the directory of a volume unless it is there, and returns its path. */
  make(folder: string, volume: VolumeDirectory): Promise<string>;
  /** Removes a directory with what containers wrote into it. */
  remove(path: string): Promise<void>;
}

interface VolumeDirectory {
  readonly name: string;
  /** The group that may write, the fsGroup of the pod. */
  readonly group: number | undefined;
}

export class DirectoryVolumes {
  readonly name = "directory-volumes";
  readonly #options: DirectoryVolumesOptions;
  readonly #used = Promise.withResolvers<void>();

  constructor(options: DirectoryVolumesOptions) {
    this.#options = options;
  }

  /** Makes the directory of a volume unless it is there, and returns its path. */
  async make(name: string, group: number | undefined): Promise<string> {
    const { directory, directories } = this.#options;
    this.#used.resolve();
    return await directories.make(directory, { name, group });
  }

  /** Follows the volumes of this node, once it has any. */
  async run(signal: AbortSignal): Promise<void> {
    const { client, node, directory, directories, clock, random, log } = this.#options;
    const end = signal.aborted ? Promise.resolve() : once(signal, "abort");
    if ((await directories.list(directory)).length > 0) this.#used.resolve();
    await Promise.race([this.#used.promise, end]);
    if (signal.aborted) return;
    const volumes = client.resource("v1", "PersistentVolume");
    const selection = { labelSelector: directoriesOfNode(node) };
    const informer = new Informer(volumes, selection, { clock, random, log });
    const queue = new WorkQueue({ name: this.name, clock, random });
    const leave = informer.subscribe((key) => queue.add(key));
    const work = async (key: string): Promise<void> => {
      const volume = informer.get(key);
      if (volume !== undefined && isToGo(volume, node)) await this.#letGo(volume);
    };
    const onFailure = (volume: string, error: unknown) =>
      log.warn("Cannot remove the directory of a volume", { volume, error });
    try {
      await Promise.all([informer.run(signal), queue.run(work, { signal, onFailure })]);
    } finally {
      leave();
    }
  }

  async #letGo(volume: PersistentVolume): Promise<void> {
    const { client, directory, directories, log } = this.#options;
    const name = directoryOf(volume);
    if (name !== undefined && volume.spec.persistentVolumeReclaimPolicy === "Delete") {
      await directories.remove(join(directory, name));
      log.info("Removed the directory of a volume", { volume: name });
    }
    const { finalizers = [], resourceVersion = "", uid = "" } = volume.metadata;
    const left = finalizers.filter((each) => each !== directoryFinalizer);
    const merge = { metadata: { uid, resourceVersion, finalizers: left } };
    try {
      await client.resource("v1", "PersistentVolume").patch(volume.metadata, { merge });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

/** Whether the volume is being deleted and no claim has it any more. */
export function isToGo(volume: PersistentVolume, node: string): boolean {
  const { deletionTimestamp, finalizers = [] } = volume.metadata;
  return (
    deletionTimestamp !== undefined &&
    nodeOfDirectory(volume) === node &&
    finalizers.includes(directoryFinalizer) &&
    !finalizers.includes(volumeProtection)
  );
}
