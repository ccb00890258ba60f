import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Commands } from "../../base/host/command.ts";
import { systemFiles } from "../../base/host/files.system.ts";
import { removeWritten } from "../runtime/runtime.ts";
import { lastWords } from "./containers/last-words.system.ts";
import { makeContainerFiles } from "./containers/message.system.ts";
import { dataDirectory, type PodMachine, runDirectory } from "./machine.ts";
import { ask } from "./probes/ask.ts";
import { writePodFiles } from "./sandbox/files.system.ts";
import { putFiles } from "./volumes/atomic-files.system.ts";
import { systemVolumeDirectories } from "./volumes/directories.system.ts";
import { makeEmptyDir } from "./volumes/empty-dir.system.ts";
import { prepareHostPath } from "./volumes/host-path.system.ts";
import { mountMemory, unmountAll } from "./volumes/memory.system.ts";

/** Returns this machine as pods use it. */
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
    read: (path) => systemFiles.read(path),
    async followManifests(options, tell, signal) {
      await mkdir(options.directory, { recursive: true });
      // The reader is loaded only when needed: it takes much code (YAML), which most nodes never use.
      const { followManifests } = await import("./static/manifests.system.ts");
      await followManifests(options, tell, signal);
    },
    volumeDirectories: systemVolumeDirectories,
    ask,
  };
}

/** Returns the uid in a log folder's name, which is `namespace_name_uid`. */
function uidOfLog(name: string): string | undefined {
  return /^[^_]+_[^_]+_([^_]+)$/.exec(name)?.[1];
}
