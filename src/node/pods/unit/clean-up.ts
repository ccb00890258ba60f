// Removes what pods leave on the node.

import { join } from "node:path";
import { systemFiles } from "../../../base/host/files.system.ts";
import { removeWritten } from "../../runtime/runtime.ts";
import { unmountAll } from "../volumes/memory.ts";
import { dataDirectory, type PodContext, runDirectory } from "./context.ts";

type CleanUpContext = Pick<
  PodContext,
  "sandboxes" | "containers" | "commands" | "directories" | "network" | "log"
>;

/**
 * Removes the interfaces, namespaces, mounts and files of a pod, logs included. Its containers must have been
 * removed. Resolves to descriptions of what of its network could not be undone.
 */
export async function removeTraces(
  context: CleanUpContext,
  uid: string,
): Promise<readonly string[]> {
  const { sandboxes, commands, directories } = context;
  const left = await sandboxes.remove(uid);
  const run = join(runDirectory(directories), uid);
  await unmountAll(commands, run);
  const logs = (await systemFiles.list(directories.logs)).filter((name) => uidOfLog(name) === uid);
  const paths = [run, join(dataDirectory(directories), uid)];
  for (const path of [...paths, ...logs.map((name) => join(directories.logs, name))]) {
    await removeWritten(path);
  }
  return left;
}

/** Removes everything of pods that are not wanted here. */
export async function removeOrphans(
  context: CleanUpContext,
  isWanted: (uid: string) => boolean,
): Promise<void> {
  const { containers, sandboxes, network, directories, log } = context;
  const found = await containers.list();
  const known = new Set([
    ...found.map(({ labels }) => labels.podUid),
    ...(await systemFiles.list(runDirectory(directories))),
    ...(await systemFiles.list(dataDirectory(directories))),
    ...(await systemFiles.list(directories.logs)).flatMap((name) => uidOfLog(name) ?? []),
  ]);
  for (const uid of known) {
    if (isWanted(uid)) continue;
    log.info("Removing what is left of a pod that is gone", { uid });
    try {
      const own = found.filter(({ labels }) => labels.podUid === uid);
      for (const { id } of own) await containers.remove(id);
      const left = await removeTraces(context, uid);
      if (left.length > 0) log.warn("Cannot undo the network of a pod that is gone", { uid, left });
    } catch (error) {
      log.warn("Cannot remove what is left of a pod", { uid, error });
    }
  }
  const records = [...(await sandboxes.list()).values()];
  const ids = records.flatMap((record) => (record === undefined ? [] : [record.id]));
  await network.collect(ids).catch((error: unknown) => {
    log.warn("Cannot free what the network holds for pods that are gone", { error });
  });
}

/** Returns the uid in a log folder's name, which is `namespace_name_uid`. */
function uidOfLog(name: string): string | undefined {
  return /^[^_]+_[^_]+_([^_]+)$/.exec(name)?.[1];
}
