import { stat, writeFile } from "node:fs/promises";
import type { RuntimeContext } from "./context.ts";
import type { Exit } from "./exits.system.ts";
import { isAlive } from "./machine/processes.system.ts";
import type { ContainerState } from "./port.ts";
import { readRecord, readStarted, type Started } from "./record.system.ts";

type StateContext = Pick<RuntimeContext, "places" | "exits" | "cgroups" | "cgroup">;

/** Returns a container's state, or undefined if it was never started. */
export async function readState(
  id: string,
  context: StateContext,
): Promise<ContainerState | undefined> {
  const places = context.places.container(id);
  const [record, started] = await Promise.all([readRecord(places), readStarted(places)]);
  if (record === undefined || started === undefined) return undefined;
  const { labels, image, logPath } = record;
  const { upper: changes } = places.layer("root");
  const known = { id, labels, image, logPath, changes, startedAt: new Date(started.at) };
  const exit = await readExit(id, { ...context, started });
  if (exit === undefined) return { ...known, status: "running", pid: started.process.pid };
  return {
    ...known,
    status: "exited",
    finishedAt: exit.at,
    exitCode: exit.code,
    ...((await wasOutOfMemory(id, context)) && { outOfMemory: true }),
  };
}

type ExitContext = Pick<StateContext, "exits" | "places">;

/** The exit code reported for a container whose exit was not observed. */
const lostCode = 255;

async function readExit(
  id: string,
  { exits, places, started }: ExitContext & { readonly started: Started },
): Promise<Exit | undefined> {
  const exit = await exits.read(id);
  if (exit !== undefined) return exit;
  if (await isAlive(started.monitor)) return undefined;
  if (await isAlive(started.process)) return undefined;
  // conmon may have written the exit file just before it ended. If it has not, nobody else will.
  return (await exits.read(id)) ?? (await writeLostExit(id, { exits, places }));
}

async function writeLostExit(
  id: string,
  { exits, places }: ExitContext,
): Promise<Exit | undefined> {
  await writeFile(places.container(id).exit, `${lostCode}`, { flag: "wx" }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    },
  );
  return await exits.read(id);
}

/**
 * Returns whether the kernel killed a process of the container for want of memory. conmon may learn of the exit
 * first and leave without a note; the kernel's own count stays until the cgroup is removed.
 */
async function wasOutOfMemory(
  id: string,
  { places, cgroups, cgroup }: StateContext,
): Promise<boolean> {
  const note = places.container(id).outOfMemory;
  if ((await stat(note, { throwIfNoEntry: false })) !== undefined) return true;
  if (cgroup === undefined || !(await cgroups.wasOutOfMemory(`${cgroup}/${id}`))) return false;
  await writeFile(note, "");
  return true;
}
