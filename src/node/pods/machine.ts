// What pods touch of their machine besides containers and networks: files, and answers to probes.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Commands } from "../../base/host/command.ts";
import { systemFiles } from "../../base/host/files.system.ts";
import { removeWritten } from "../runtime/runtime.ts";
import { lastWords } from "./containers/last-words.ts";
import { makeContainerFiles } from "./containers/message.ts";
import type { PodDirectories } from "./options.ts";
import { ask } from "./probes/ask.ts";
import { writePodFiles } from "./sandbox/files.ts";
import { putFiles } from "./volumes/atomic-files.ts";
import { type EmptyDirWish, makeEmptyDir } from "./volumes/empty-dir.ts";
import { prepareHostPath } from "./volumes/host-path.ts";
import { mountMemory, unmountAll } from "./volumes/memory.ts";

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
  /** Asks a pod over its network, for probes and hooks. Rejects with the failure. */
  readonly ask: typeof ask;
}

export function systemMachine(commands: Commands): PodMachine {
  return {
    async open(directories) {
      await mkdir(dataDirectory(directories), { recursive: true, mode: 0o700 });
      await mkdir(directories.logs, { recursive: true, mode: 0o750 });
    },
    useMemory: (directory) => mountMemory(commands, directory, { mode: "0700" }),
    releaseMemory: (directory) => unmountAll(commands, directory),
    async leftovers(directories) {
      return [
        ...(await systemFiles.list(runDirectory(directories))),
        ...(await systemFiles.list(dataDirectory(directories))),
        ...(await systemFiles.list(directories.logs)).flatMap((name) => uidOfLog(name) ?? []),
      ];
    },
    async removeFiles(directories, uid) {
      const { logs } = directories;
      const run = join(runDirectory(directories), uid);
      await unmountAll(commands, run);
      const own = (await systemFiles.list(logs)).filter((name) => uidOfLog(name) === uid);
      const paths = [run, join(dataDirectory(directories), uid)];
      for (const path of [...paths, ...own.map((name) => join(logs, name))]) {
        await removeWritten(path);
      }
    },
    writePodFiles,
    putFiles,
    hostPath: prepareHostPath,
    makeEmptyDir: (path, wish) => makeEmptyDir(path, { ...wish, commands }),
    makeContainerFiles,
    lastWords,
    ask,
  };
}

/** Returns the directory with one folder for each pod, kept in memory. */
export function runDirectory({ run }: PodDirectories): string {
  return join(run, "pods");
}

export function dataDirectory({ data }: PodDirectories): string {
  return join(data, "pods");
}

/** Returns the uid in a log folder's name, which is `namespace_name_uid`. */
function uidOfLog(name: string): string | undefined {
  return /^[^_]+_[^_]+_([^_]+)$/.exec(name)?.[1];
}
