// `tandem up`, outside of the enclosure.

import type { Files } from "../../base/host/files.ts";
import { messageOf } from "../../base/program/errors.ts";
import type { Progress } from "../../base/program/progress.ts";
import { Enclosure, type EnclosureOptions } from "./enclosure.ts";
import { openLoopbackSocket } from "./loopback-socket.ts";
import { dataPlaces } from "./places.ts";
import { identify, isAlive } from "./processes.ts";
import type { ClusterRecord, ClusterRecords } from "./record.ts";
import { followReports } from "./report.ts";
import { type ClusterSettings, settingsText } from "./settings.ts";

export interface BringUpOptions {
  readonly settings: ClusterSettings;
  readonly namesVips: boolean;
  readonly dataDir: string;
  /** Ports for the API on the machine's loopback, tried in this order. */
  readonly ports: readonly number[];
  readonly command: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  readonly users: EnclosureOptions["users"];
}

export interface BringUpParts {
  readonly files: Files;
  readonly records: ClusterRecords;
  readonly progress: Progress;
}

export interface BroughtUp {
  readonly record: ClusterRecord;
  readonly enclosure: Enclosure;
}

/** Starts the enclosure and records it; fails if a cluster of that name runs already. */
export async function bringUp(
  options: BringUpOptions,
  { files, records, progress }: BringUpParts,
  signal: AbortSignal,
): Promise<BroughtUp> {
  const started = await start(options, { files, records });
  const onAbort = (): void => started.enclosure.close();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await followReports(started.enclosure.reports, progress);
    return started;
  } catch (error) {
    await started.enclosure.exited;
    signal.throwIfAborted();
    const log = `${dataPlaces(options.dataDir).logs}/supervisor.log`;
    throw new Error(`${messageOf(error)} (more in ${log})`, { cause: error });
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** Returns the record of a running cluster. */
export async function runningRecord(
  records: ClusterRecords,
  name: string,
): Promise<ClusterRecord | undefined> {
  const record = await records.read(name);
  return record !== undefined && (await isAlive(record)) ? record : undefined;
}

async function start(
  options: BringUpOptions,
  { files, records }: Pick<BringUpParts, "files" | "records">,
): Promise<BroughtUp> {
  const { settings, dataDir } = options;
  const places = dataPlaces(dataDir);
  await using _ = await records.lock();
  const other = await runningRecord(records, settings.name);
  if (other !== undefined) {
    throw new Error(`Cannot bring up ${settings.name}: process ${other.pid} is bringing it up`);
  }
  await files.makePrivateDirectory(places.logs);
  await files.makePrivateDirectory(dataDir);
  await files.write(places.settings, settingsText(settings), { mode: 0o600 });
  const socket = await openLoopbackSocket(options.ports);
  const enclosure = await openWith(socket, options);
  const process = await identify(enclosure.pid);
  if (process === undefined) throw new Error("Cannot bring up the cluster: it ended at once");
  const record = { name: settings.name, dataDir, port: socket.port, ...process };
  await records.write(record);
  const hasCgroups = options.users === "same";
  const { namesVips } = options;
  enclosure.order({ settings, dataDir, port: socket.port, hasCgroups, namesVips });
  return { record, enclosure };
}

async function openWith(
  socket: { readonly descriptor: number; close(): void },
  { command, environment, users, dataDir }: BringUpOptions,
): Promise<Enclosure> {
  const log = `${dataPlaces(dataDir).logs}/supervisor.log`;
  const { descriptor } = socket;
  try {
    return await Enclosure.open({ command, environment, users, descriptor, log });
  } finally {
    socket.close();
  }
}
