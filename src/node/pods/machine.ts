// What pods touch of their machine besides containers and networks: files, and answers to probes.

import { join } from "node:path";
import type { lastWords } from "./containers/last-words.system.ts";
import type { makeContainerFiles } from "./containers/message.system.ts";
import type { PodDirectories } from "./options.ts";
import type { ask } from "./probes/ask.ts";
import type { writePodFiles } from "./sandbox/files.system.ts";
import type { followManifests } from "./static/manifests.system.ts";
import type { putFiles } from "./volumes/atomic-files.system.ts";
import type { VolumeDirectories } from "./volumes/directory-volumes.ts";
import type { EmptyDirWish } from "./volumes/empty-dir.system.ts";
import type { prepareHostPath } from "./volumes/host-path.system.ts";

export interface PodMachine {
  /** Makes the folders in which pods have theirs. */
  open(directories: PodDirectories): Promise<void>;
  /** Makes a directory whose content is never written to a disk. */
  useMemory(directory: string): Promise<void>;
  releaseMemory(directory: string): Promise<void>;
  /** Returns the uids of all pods that have left files. */
  leftovers(directories: PodDirectories): Promise<readonly string[]>;
  /** Removes the mounts and files of a pod, logs included. */
  removeFiles(directories: PodDirectories, uid: string): Promise<void>;
  readonly writePodFiles: typeof writePodFiles;
  readonly putFiles: typeof putFiles;
  readonly hostPath: typeof prepareHostPath;
  makeEmptyDir(path: string, wish: EmptyDirWish): Promise<void>;
  /** Makes the files that a container writes: its log's folder and its termination message. */
  readonly makeContainerFiles: typeof makeContainerFiles;
  readonly lastWords: typeof lastWords;
  /** Reads a file of the node; `undefined` when there is none. */
  read(path: string): Promise<string | undefined>;
  /** Follows the manifests of static pods in a directory, which is made if there is none. */
  readonly followManifests: typeof followManifests;
  readonly volumeDirectories: VolumeDirectories;
  /** Asks a pod over its network, for probes and hooks. Rejects with the failure. */
  readonly ask: typeof ask;
}

/** Returns the directory with one folder for each pod, kept in memory. */
export function runDirectory({ run }: PodDirectories): string {
  return join(run, "pods");
}

export function dataDirectory({ data }: PodDirectories): string {
  return join(data, "pods");
}
