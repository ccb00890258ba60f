// Processes, identified by pid and start time: a pid alone may have been reused.
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { systemCode } from "../../../base/program/errors.ts";

export interface ProcessIdentity {
  readonly pid: number;
  /** The start time in clock ticks since the machine booted. */
  readonly startedAt: string;
}

/** Returns a process's identity, or undefined when it is gone or a zombie. */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | undefined> {
  const text = await readProcessFile(pid, "stat");
  // The second field, the name, may contain blanks and parentheses.
  const [state, ...fields] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const startedAt = fields[18];
  if (startedAt === undefined || state === "Z" || state === "X") return undefined;
  return { pid, startedAt };
}

export async function isAlive({ pid, startedAt }: ProcessIdentity): Promise<boolean> {
  return (await identifyProcess(pid))?.startedAt === startedAt;
}

/** Sends a signal to the process, unless it is gone. */
export async function signalProcess(
  process: ProcessIdentity,
  signal: NodeJS.Signals,
): Promise<void> {
  if (await isAlive(process)) sendSignal(process.pid, signal);
}

/**
 * Kills the descendants of a process, so that it reaps them and ends by itself: whoever would inherit them
 * might leave zombies for a while. A process without children is killed itself.
 */
export async function killBelow(pid: number): Promise<void> {
  const children = await childrenOf(pid);
  if (children.length === 0) sendSignal(pid, "SIGKILL");
  for (const child of children) await killTree(child);
}

export async function killTree(pid: number): Promise<void> {
  const children = await childrenOf(pid);
  sendSignal(pid, "SIGKILL");
  for (const child of children) await killTree(child);
}

/** Where processes have the words by which they are found: their arguments, or their variables too. */
export type Mention = "cmdline" | "environ";

/** Returns the pids of processes with this path among their words, alone or as an option's value. */
export async function processesMentioning(
  path: string,
  places: readonly Mention[] = ["cmdline"],
): Promise<readonly number[]> {
  const found: number[] = [];
  for (const name of await readdir("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const texts = await Promise.all(places.map((place) => readProcessFile(pid, place)));
    const words = texts.join("\0").split("\0");
    if (words.some((word) => word === path || word.endsWith(`=${path}`))) found.push(pid);
  }
  return found;
}

const patienceMs = 5000;
const pauseMs = 2;

/**
 * Kills the processes that have the path among their words, until none is left: one may have started another
 * before it died.
 */
export async function endMentioning(path: string, places?: readonly Mention[]): Promise<void> {
  for (const deadline = Date.now() + patienceMs; Date.now() < deadline; await sleep(pauseMs)) {
    const pids = await processesMentioning(path, places);
    if (pids.length === 0) return;
    for (const pid of pids) sendSignal(pid, "SIGKILL");
  }
}

export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (systemCode(error) !== "ESRCH") throw error;
  }
}

/** Returns the children of a process, which the kernel lists by the thread that started them. */
async function childrenOf(pid: number): Promise<readonly number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(unlessGone([]));
  const texts = await Promise.all(
    threads.map((thread) => readProcessFile(pid, `task/${thread}/children`)),
  );
  return texts.flatMap((text) => text.split(" ").filter(Boolean).map(Number));
}

/** Reads a file of /proc/PID; returns "" when the process is gone. */
async function readProcessFile(pid: number, name: string): Promise<string> {
  return await readFile(`/proc/${pid}/${name}`, "utf8").catch(unlessGone(""));
}

function unlessGone<T>(otherwise: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === "ENOENT" || error.code === "ESRCH" || error.code === "EACCES") {
      return otherwise;
    }
    throw error;
  };
}
