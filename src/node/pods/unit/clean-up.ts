// Removes what pods leave on the node.

import type { PodContext } from "./context.ts";

type CleanUpContext = Pick<
  PodContext,
  "sandboxes" | "containers" | "machine" | "directories" | "network" | "log"
>;

/**
 * Removes the interfaces, namespaces, mounts and files of a pod, logs included. Its containers must have been
 * removed. Resolves to descriptions of what of its network could not be undone.
 */
export async function removeTraces(
  context: CleanUpContext,
  uid: string,
): Promise<readonly string[]> {
  const { sandboxes, machine, directories } = context;
  const left = await sandboxes.remove(uid);
  await machine.removeFiles(directories, uid);
  return left;
}

/** Removes everything of pods that are not wanted here. Resolves to the uids of those that resist. */
export async function removeOrphans(
  context: CleanUpContext,
  isWanted: (uid: string) => boolean,
): Promise<readonly string[]> {
  const { containers, machine, directories } = context;
  const found = await containers.list();
  const known = new Set([
    ...found.map(({ labels }) => labels.podUid),
    ...(await machine.leftovers(directories)),
  ]);
  return removePods(context, [...known], isWanted);
}

/** Frees what the network holds for pods that are gone; returns whether it could. */
export async function collectNetwork({
  sandboxes,
  network,
  log,
}: CleanUpContext): Promise<boolean> {
  const listSandboxes = async () => {
    const records = [...(await sandboxes.list()).values()];
    return records.flatMap((record) => (record === undefined ? [] : [record.id]));
  };
  try {
    await network.collect(listSandboxes);
    return true;
  } catch (error) {
    log.warn("Cannot free what the network holds for pods that are gone", { error });
    return false;
  }
}

/** Removes the containers and traces of these pods, unless they are wanted; resolves to those that resist. */
export async function removePods(
  context: CleanUpContext,
  uids: readonly string[],
  isWanted: (uid: string) => boolean,
): Promise<readonly string[]> {
  const { containers, log } = context;
  const failed: string[] = [];
  for (const uid of uids) {
    if (isWanted(uid)) continue;
    log.info("Removing what is left of a pod that is gone", { uid });
    try {
      const own = (await containers.list()).filter(({ labels }) => labels.podUid === uid);
      for (const { id } of own) await containers.remove(id);
      const left = await removeTraces(context, uid);
      if (left.length > 0) log.warn("Cannot undo the network of a pod that is gone", { uid, left });
    } catch (error) {
      log.warn("Cannot remove what is left of a pod", { uid, error });
      failed.push(uid);
    }
  }
  return failed;
}
