// What is known of a container, on disk: the next agent reads it.
import { readFile, rename, writeFile } from "node:fs/promises";
import type { ProcessIdentity } from "./machine/processes.ts";
import type { ContainerPlaces } from "./places.ts";
import type { ContainerSpec } from "./port.ts";

export type ContainerRecord = Pick<
  ContainerSpec,
  "id" | "labels" | "image" | "logPath" | "terminal" | "users"
>;

export interface Started {
  readonly process: ProcessIdentity;
  /** conmon. */
  readonly monitor: ProcessIdentity;
  readonly at: string;
}

export async function writeRecord(places: ContainerPlaces, spec: ContainerSpec): Promise<void> {
  const { id, labels, image, logPath, terminal = false, users } = spec;
  const base = { id, labels, image, logPath, terminal };
  const record: ContainerRecord = users === undefined ? base : { ...base, users };
  await writeFile(places.record, JSON.stringify(record), { mode: 0o600 });
}

/** Not synced to the disk: a container does not outlive the machine, only the agent. */
export async function writeStarted(places: ContainerPlaces, started: Started): Promise<void> {
  const unfinished = `${places.started}.unfinished`;
  await writeFile(unfinished, JSON.stringify(started));
  await rename(unfinished, places.started);
}

export async function readRecord(places: ContainerPlaces): Promise<ContainerRecord | undefined> {
  return await readJson<ContainerRecord>(places.record);
}

/** Nothing for containers that were never started, or are being removed. */
export async function readStarted(places: ContainerPlaces): Promise<Started | undefined> {
  return await readJson<Started>(places.started);
}

/** Also nothing when a power cut left half of it. */
async function readJson<T>(path: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as T;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}
