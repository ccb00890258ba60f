import { access, writeFile } from "node:fs/promises";
import type { RuntimeContext } from "./context.ts";
import type { Exit } from "./exits.ts";
import { isAlive } from "./machine/processes.ts";
import type { ContainerPlaces } from "./places.ts";
import type { ContainerState } from "./port.ts";
import { readRecord, readStarted, type Started } from "./record.ts";

type StateContext = Pick<RuntimeContext, "places" | "exits">;

/** Returns a container's state, or undefined if it was never started. */
export async function readState(
  id: string,
  context: StateContext,
): Promise<ContainerState | undefined> {
  const places = context.places.container(id);
  const [record, started] = await Promise.all([readRecord(places), readStarted(places)]);
  if (record === undefined || started === undefined) return undefined;
  const { labels, image, logPath } = record;
  const known = { id, labels, image, logPath, startedAt: new Date(started.at) };
  const exit = await readExit(id, { ...context, started });
  if (exit === undefined) return { ...known, status: "running", pid: started.process.pid };
  return {
    ...known,
    status: "exited",
    finishedAt: exit.at,
    exitCode: exit.code,
    ...((await wasOutOfMemory(places)) && { outOfMemory: true }),
  };
}

/** The exit code reported for a container whose exit was not observed. */
const lostCode = 255;

async function readExit(
  id: string,
  { exits, places, started }: StateContext & { readonly started: Started },
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
  { exits, places }: StateContext,
): Promise<Exit | undefined> {
  await writeFile(places.container(id).exit, `${lostCode}`, { flag: "wx" }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    },
  );
  return await exits.read(id);
}

async function wasOutOfMemory(places: ContainerPlaces): Promise<boolean> {
  return await access(places.outOfMemory).then(
    () => true,
    () => false,
  );
}
