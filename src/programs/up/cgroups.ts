import { readdir, readFile, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { systemCode } from "../../base/program/errors.ts";
import { cgroupMounts } from "../../node/runtime/runtime.ts";

/** Returns the cgroup below which the agents of a cluster put the cgroups of their pods. */
export function clusterCgroup(name: string): string {
  return join(parent, name);
}

/** Removes the cluster's cgroups, if any, in every hierarchy. All their processes must have been killed. */
export async function removeClusterCgroups(name: string): Promise<void> {
  const mounts = cgroupMounts(await readFile("/proc/self/mountinfo", "utf8"));
  for (const { directory } of mounts) {
    await removeTree(join(directory, clusterCgroup(name)));
    // The shared parent cgroup stays if other clusters use it.
    await isRemoved(join(directory, parent));
  }
}

const parent = "/tandem";
/** Killed processes leave their cgroup when the kernel is done with them: at once, unless it is busy. */
const patienceMs = 60_000;
const pauseMs = 5;

async function removeTree(directory: string): Promise<void> {
  for (const child of await children(directory)) await removeTree(join(directory, child));
  await removeEmpty(directory);
}

async function children(directory: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
}

async function removeEmpty(directory: string): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!(await isRemoved(directory))) {
    if (performance.now() > deadline) {
      throw new Error(`Cannot remove ${directory}: processes that were killed are still in it`);
    }
    await sleep(pauseMs);
  }
}

/** Removes a cgroup, unless something is in it. */
async function isRemoved(directory: string): Promise<boolean> {
  try {
    await rmdir(directory);
  } catch (error) {
    const code = systemCode(error);
    if (code === "EBUSY") return false;
    if (code !== "ENOENT") throw error;
  }
  return true;
}
