// The records of a container on disk, by which the next agent finds it.
import { readFile, rename, writeFile } from "node:fs/promises";
import { systemCode } from "../../base/program/errors.ts";
import type { ProcessIdentity } from "./machine/processes.system.ts";
import type { ContainerPlaces } from "./places.ts";
import type { ContainerSpec } from "./port.ts";

export type ContainerRecord = Pick<
  ContainerSpec,
  "id" | "labels" | "image" | "logPath" | "terminal" | "users"
> & {
  /** Whether other processes than the container's are in its PID namespace. */
  readonly sharesProcesses?: boolean;
};

export interface Started {
  readonly process: ProcessIdentity;
  /** The process of conmon. */
  readonly monitor: ProcessIdentity;
  readonly at: string;
}

export async function writeRecord(places: ContainerPlaces, spec: ContainerSpec): Promise<void> {
  const { id, labels, image, logPath, terminal = false, users, namespaces } = spec;
  const sharesProcesses = namespaces.pid !== undefined;
  const base = {
    id,
    labels,
    image,
    logPath,
    terminal,
    ...(sharesProcesses && { sharesProcesses }),
  };
  const record: ContainerRecord = users === undefined ? base : { ...base, users };
  await writeFile(places.record, JSON.stringify(record), { mode: 0o600 });
}

/** Writes the file without a sync to disk: a container outlives the agent, but not the machine. */
export async function writeStarted(places: ContainerPlaces, started: Started): Promise<void> {
  const unfinished = `${places.started}.unfinished`;
  await writeFile(unfinished, JSON.stringify(started));
  await rename(unfinished, places.started);
}

export async function readRecord(places: ContainerPlaces): Promise<ContainerRecord | undefined> {
  return await readJson<ContainerRecord>(places.record);
}

/** Returns undefined for containers that were never started, or are being removed. */
export async function readStarted(places: ContainerPlaces): Promise<Started | undefined> {
  return await readJson<Started>(places.started);
}

/** Returns undefined when there is no file, or a power cut left half of it. */
async function readJson<T>(path: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as T;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    const code = systemCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}
