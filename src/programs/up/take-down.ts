// `tandem down`: ends the first process of the enclosure, whereupon the kernel ends everything inside,
// and removes what is left on the machine.

import { rmdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Clock } from "../../base/host/clock.ts";
import type { Commands } from "../../base/host/command.ts";
import { systemFiles } from "../../base/host/files.system.ts";
import { TooLongError, type UntilOptions, until } from "../../base/host/until.ts";
import { systemCode } from "../../base/program/errors.ts";
import { clustersDirectory, dataPlaces } from "./places.ts";
import {
  firstChild,
  identify,
  isAlive,
  kill,
  type ProcessId,
  processesAround,
  stateOf,
} from "./processes.ts";
import type { ClusterRecord, ClusterRecords } from "./record.ts";

export interface TakeDownOptions {
  readonly name: string;
  /** The data directory to remove if no record names one. */
  readonly dataDir: string;
  readonly keepData: boolean;
}

export interface TakeDownParts {
  readonly records: ClusterRecords;
  readonly clock: Clock;
  readonly commands: Commands;
  /**
   * The words in front of a command that run it in a user namespace where it may remove the cluster's files.
   */
  readonly asOwner: readonly string[];
  /** Removes what the cluster has put outside of its namespaces. */
  cleanHost(): Promise<void>;
}

const startMs = 60_000;
const orderlyMs = 10_000;
/** How long killed processes may take to end: a busy kernel or a slow disk delays them. */
const killedMs = 120_000;
const leftoverMs = 2000;
/** The word of the command line by which the program inside is recognised. */
export const superviseCommand = "__supervise";

/** Takes the cluster down; returns whether there was anything to take down. */
export async function takeDown(options: TakeDownOptions, parts: TakeDownParts): Promise<boolean> {
  const { name, keepData } = options;
  const { records } = parts;
  await using _ = await records.lock();
  const record = await records.read(name);
  if (record !== undefined) await end(record, keepData, parts.clock);
  await parts.cleanHost();
  const dataDir = record?.dataDir ?? options.dataDir;
  const hadData = !keepData && (await removeData(dataDir, parts));
  await records.remove(name);
  return record !== undefined || hadData;
}

/**
 * Ends all processes of a cluster; if orderly, because its data is kept, programs may finish their work
 * first.
 */
async function end(record: ClusterRecord, isOrderly: boolean, clock: Clock): Promise<void> {
  const init = await firstInside(record, clock);
  if (init === undefined) return;
  if (isOrderly) await endOrderly(record, { init, clock });
  if (await isAlive(record)) kill(init.pid, "SIGKILL");
  await untilAlone(init, clock);
  // The first process ends once its last child is reaped, which processes that entered from outside may
  // delay; it has released everything by then.
  await waitForEnd(record, { clock, limitMs: leftoverMs });
}

async function endOrderly(
  record: ClusterRecord,
  { init, clock }: { readonly init: ProcessId; readonly clock: Clock },
): Promise<void> {
  const supervisor = (await processesAround(init.pid)).find(
    ({ pid, command }) => pid !== init.pid && command.includes(superviseCommand),
  );
  if (supervisor === undefined) return;
  kill(supervisor.pid, "SIGTERM");
  await waitForEnd(record, { clock, limitMs: orderlyMs });
}

/** Returns the first process inside, which may be about to start; `undefined` if everything has ended. */
async function firstInside(record: ClusterRecord, clock: Clock): Promise<ProcessId | undefined> {
  const ask = async () => {
    const pid = await firstChild(record.pid);
    const init = pid === undefined ? undefined : await identify(pid);
    if (!(await isAlive(record))) return { init: undefined };
    return init === undefined ? undefined : { init };
  };
  const what = `${record.name} has started or ended`;
  return (await until(ask, { clock, limitMs: startMs, what })).init;
}

async function waitForEnd(
  record: ClusterRecord,
  { clock, limitMs }: Pick<UntilOptions, "clock" | "limitMs">,
): Promise<void> {
  const isOver = async () => ((await isAlive(record)) ? undefined : true);
  try {
    await until(isOver, { clock, limitMs, what: `${record.name} has ended` });
  } catch (error) {
    if (!(error instanceof TooLongError)) throw error;
  }
}

/**
 * Waits until only the first process is left: the kernel removes killed processes when its work for them is
 * done.
 */
async function untilAlone(init: ProcessId, clock: Clock): Promise<void> {
  const others = () => othersAround(init);
  const isAlone = async () => ((await others()).length === 0 ? true : undefined);
  try {
    await until(isAlone, { clock, limitMs: killedMs, what: "all processes have ended" });
  } catch (cause) {
    if (!(cause instanceof TooLongError)) throw cause;
    const left = await Promise.all(
      (await others()).map(async (each) => `${each.pid} (${each.name}, ${await stateOf(each)})`),
    );
    throw new Error(`Cannot end ${left.join(", ")}: killed, but still there`, { cause });
  }
}

/**
 * Lists the other live processes of the namespace. The first process ends last: while it exists, no other
 * namespace can be mistaken for this one.
 */
async function othersAround(init: ProcessId) {
  const found = await processesAround(init.pid);
  const isThere = (await identify(init.pid))?.startedAt === init.startedAt;
  const alive = await Promise.all(found.map(isAlive));
  return found.filter(({ pid }, index) => isThere && pid !== init.pid && alive[index]);
}

/**
 * Removes only the files that a cluster writes, since the user may have named a directory with other files.
 */
async function removeData(
  directory: string,
  { commands, asOwner }: TakeDownParts,
): Promise<boolean> {
  const ours: readonly string[] = Object.values(dataPlaces(directory));
  await systemFiles.removeUnfinishedWrites(directory);
  const present = await systemFiles.list(directory);
  const paths = present.map((name) => join(directory, name)).filter((path) => ours.includes(path));
  if (paths.length > 0) {
    await commands.run([...asOwner, "rm", "-rf", "--one-file-system", "--", ...paths]);
  }
  await removeIfEmpty(directory);
  const parent = dirname(directory);
  if (basename(parent) === clustersDirectory) await removeIfEmpty(parent);
  return paths.length > 0;
}

async function removeIfEmpty(directory: string): Promise<void> {
  try {
    await rmdir(directory);
  } catch (error) {
    const code = systemCode(error) ?? "";
    if (!["ENOENT", "ENOTEMPTY", "EEXIST"].includes(code)) throw error;
  }
}
