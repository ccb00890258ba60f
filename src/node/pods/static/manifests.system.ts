// Watches the directory of static pods' manifests.

import { on } from "node:events";
import { watch } from "node:fs";
import { join } from "node:path";
import type { Pod } from "../../../api/types/core.ts";
import { systemFiles } from "../../../base/host/files.system.ts";
import type { Log } from "../../../base/program/log.ts";
import { readManifest } from "./manifest.ts";

interface ManifestsOptions {
  readonly directory: string;
  readonly node: string;
  readonly log: Log;
}

/** Calls `tell` with all static pods, at once and whenever a file changes. */
export async function followManifests(
  options: ManifestsOptions,
  tell: (pods: readonly Pod[]) => void,
  signal: AbortSignal,
): Promise<void> {
  const { directory } = options;
  try {
    using opened = new DisposableStack();
    // The watch begins before the directory is read, so that no change is missed in between.
    const watcher = opened.adopt(watch(directory), (each) => each.close());
    const changes = on(watcher, "change", { signal });
    tell(await readAll(options));
    for await (const _ of changes) tell(await readAll(options));
  } catch (error) {
    if (!signal.aborted) throw new Error(`Cannot follow ${directory}`, { cause: error });
  }
}

/** Reads all manifests; an invalid one is logged and does not affect the others. */
async function readAll({ directory, node, log }: ManifestsOptions): Promise<readonly Pod[]> {
  const names = await systemFiles.list(directory);
  const pods: Pod[] = [];
  for (const file of names.filter((name) => /^[^.].*\.(?:ya?ml|json)$/.test(name))) {
    const text = await systemFiles.read(join(directory, file));
    if (text === undefined) continue;
    try {
      pods.push(readManifest(text, { file, node }));
    } catch (error) {
      log.warn("Cannot read a static pod", { file, error });
    }
  }
  return pods;
}
