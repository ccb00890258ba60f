// Processes by number and time of start: a number alone may belong to somebody else by now.
import { readdir, readFile } from "node:fs/promises";

export interface ProcessIdentity {
  readonly pid: number;
  /** In ticks since the machine started. */
  readonly startedAt: string;
}

/** Undefined when it is gone, or dead and only waits to be collected. */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | undefined> {
  const text = await readProcessFile(pid, "stat");
  // The name in the second field may hold blanks and parentheses.
  const [state, ...fields] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const startedAt = fields[18];
  if (startedAt === undefined || state === "Z" || state === "X") return undefined;
  return { pid, startedAt };
}

export async function isAlive({ pid, startedAt }: ProcessIdentity): Promise<boolean> {
  return (await identifyProcess(pid))?.startedAt === startedAt;
}

/** Nothing happens when it is gone. */
export async function signalProcess(
  process: ProcessIdentity,
  signal: NodeJS.Signals,
): Promise<void> {
  if (await isAlive(process)) sendSignal(process.pid, signal);
}

/** Kills a process and all that it started and that is still below it. */
export async function killTree(pid: number): Promise<void> {
  for (const child of await childrenOf(pid)) await killTree(child);
  sendSignal(pid, "SIGKILL");
}

/** Kills every process that has this path in its command line, alone or as the value of an option. */
export async function killMentioning(path: string): Promise<void> {
  for (const name of await readdir("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const words = (await readProcessFile(pid, "cmdline")).split("\0");
    if (words.some((word) => word === path || word.endsWith(`=${path}`)))
      sendSignal(pid, "SIGKILL");
  }
}

export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

async function childrenOf(pid: number): Promise<readonly number[]> {
  const text = await readProcessFile(pid, `task/${pid}/children`);
  return text.split(" ").filter(Boolean).map(Number);
}

/** Empty when the process is gone. */
async function readProcessFile(pid: number, name: string): Promise<string> {
  try {
    return await readFile(`/proc/${pid}/${name}`, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ESRCH" || code === "EACCES") return "";
    throw error;
  }
}
