// The machine of a hollow node: it has no files and runs no programs, and its pods answer every probe.

import { join } from "node:path";
import type { Commands } from "../../base/host/command.ts";
import type { PodMachine } from "../../node/pods/pods.ts";

const nothing = (): Promise<void> => Promise.resolve();

export const hollowMachine: PodMachine = {
  open: nothing,
  useMemory: nothing,
  releaseMemory: nothing,
  leftovers: () => Promise.resolve([]),
  removeFiles: nothing,
  writePodFiles: () => Promise.resolve([]),
  putFiles: () => Promise.resolve(true),
  hostPath: ({ path }) => Promise.resolve({ path, isOfHost: true }),
  makeEmptyDir: nothing,
  makeContainerFiles: nothing,
  lastWords: () => Promise.resolve(""),
  read: () => Promise.resolve(undefined),
  followManifests: nothing,
  volumeDirectories: {
    list: () => Promise.resolve([]),
    make: (directory, { name }) => Promise.resolve(join(directory, name)),
    remove: nothing,
  },
  ask: nothing,
};

export const hollowCommands: Commands = {
  run: () => Promise.resolve({ stdout: "", stderr: "" }),
  start: ([program = ""]) =>
    Promise.reject(new Error(`Cannot start ${program}: a hollow node runs no programs`)),
};
