import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { RuntimeContext } from "./context.ts";
import {
  endMentioning,
  isAlive,
  type ProcessIdentity,
  signalProcess,
} from "./machine/processes.system.ts";
import { removeDirectory } from "./machine/remove.system.ts";
import { readStarted } from "./record.system.ts";

/** Returns the ids of all containers that have left anything on disk. */
export async function traces({ places }: RuntimeContext): Promise<ReadonlySet<string>> {
  const { containers, runtime, exits } = places;
  const [made, known, exited] = await Promise.all([
    readdir(containers),
    readdir(runtime),
    readdir(exits),
  ]);
  // Files with a random suffix are temporary: conmon is about to rename them.
  return new Set([...made, ...known, ...exited.filter((name) => !/\.[A-Z0-9]{6}$/.test(name))]);
}

export async function hasTraces(id: string, { places }: RuntimeContext): Promise<boolean> {
  const { directory, exit } = places.container(id);
  const paths = [directory, exit, join(places.runtime, id)];
  const found = await Promise.all(paths.map((path) => stat(path, { throwIfNoEntry: false })));
  return found.some((each) => each !== undefined);
}

/**
 * Removes everything of a container but its log, however far its start or an earlier removal had come. The
 * directory goes last, so that it exists as long as anything else is left.
 */
export async function clearContainer(id: string, context: RuntimeContext): Promise<void> {
  const { places, runtime, cgroups, cgroup } = context;
  const own = places.container(id);
  const started = await readStarted(own);
  if (started === undefined) {
    // Processes that were working on the container have one of these paths in their command line.
    for (const path of [own.directory, own.root]) await endMentioning(path);
  } else {
    await rm(own.started);
    await signalProcess(started.process, "SIGKILL");
    await ended(started.monitor);
  }
  if (started === undefined || cgroup === undefined) await runtime.delete(id);
  else await runtime.forget(id);
  if (cgroup !== undefined) await cgroups.clear(`${cgroup}/${id}`);
  await rm(own.exit, { force: true });
  await removeDirectory(own.directory);
}

const patienceMs = 5000;
const pauseMs = 2;

/**
 * Waits until conmon ends, which it does by itself once its container has ended, and kills it if it does not.
 */
async function ended(monitor: ProcessIdentity): Promise<void> {
  const deadline = Date.now() + patienceMs;
  while (await isAlive(monitor)) {
    if (Date.now() > deadline) await signalProcess(monitor, "SIGKILL");
    if (Date.now() > deadline + patienceMs) return;
    await sleep(pauseMs);
  }
}
