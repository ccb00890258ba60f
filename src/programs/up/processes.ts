// Processes as this machine sees them, by their PIDs outside of the enclosure.

import { readdir, readFile, readlink } from "node:fs/promises";
import { systemCode } from "../../base/program/errors.ts";

/** A process: the PID alone may belong to another process by now. */
export interface ProcessId {
  readonly pid: number;
  /** The start time, in the kernel's ticks since boot. */
  readonly startedAt: string;
}

export interface EnclosedProcess extends ProcessId {
  /** The PID in the innermost PID namespace. */
  readonly innerPid: number;
  /** The kernel's name of the process, which also exists once it has ended. */
  readonly name: string;
  readonly command: readonly string[];
  readonly memoryBytes: number;
}

export async function identify(pid: number): Promise<ProcessId | undefined> {
  const stat = await readProcess(pid, "stat");
  const startedAt = stat === undefined ? undefined : startTime(stat);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

/** Whether the process lives; a zombie counts as gone. */
export async function isAlive({ pid, startedAt }: ProcessId): Promise<boolean> {
  const stat = await readProcess(pid, "stat");
  return stat !== undefined && startTime(stat) === startedAt && !hasEnded(stat);
}

/** Returns the state of a process and the kernel function it waits in, as far as the kernel tells. */
export async function stateOf({ pid }: ProcessId): Promise<string> {
  const [stat, place] = await Promise.all(["stat", "wchan"].map((file) => readProcess(pid, file)));
  const letter = stat === undefined ? "gone" : (fields(stat)[0] ?? "");
  return place === undefined || place === "0" ? letter : `${letter} in ${place}`;
}

export function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (systemCode(error) !== "ESRCH") throw error;
  }
}

/** Returns the first process of the PID namespace that this process has made: `unshare` waits for it. */
export async function firstChild(pid: number): Promise<number | undefined> {
  const children = await readProcess(pid, `task/${pid}/children`);
  const [first] = (children ?? "").split(" ").filter((text) => text !== "");
  return first === undefined ? undefined : Number(first);
}

/** Lists the processes in the PID namespace of this one. */
export async function processesAround(init: number): Promise<readonly EnclosedProcess[]> {
  const namespace = await namespaceOf(init);
  if (namespace === undefined) return [];
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(pids.map((pid) => describe(pid, namespace)));
  return found.filter((each) => each !== undefined);
}

async function describe(pid: number, namespace: string): Promise<EnclosedProcess | undefined> {
  if ((await namespaceOf(pid)) !== namespace) return undefined;
  const [stat, status, command] = await Promise.all(
    ["stat", "status", "cmdline"].map((file) => readProcess(pid, file)),
  );
  const startedAt = stat === undefined ? undefined : startTime(stat);
  if (stat === undefined || startedAt === undefined || status === undefined) return undefined;
  const [, numbers = ""] = /^NSpid:\s*(.*)$/m.exec(status) ?? [];
  const [, kilobytes = "0"] = /^VmRSS:\s*(\d+) kB$/m.exec(status) ?? [];
  return {
    pid,
    startedAt,
    innerPid: Number(numbers.split(/\s+/).at(-1)),
    name: stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")")),
    command: (command ?? "").split("\0").filter((word) => word !== ""),
    memoryBytes: Number(kilobytes) * 1024,
  };
}

async function namespaceOf(pid: number): Promise<string | undefined> {
  return unlessGone(readlink(`/proc/${pid}/ns/pid`));
}

async function readProcess(pid: number, file: string): Promise<string | undefined> {
  return unlessGone(readFile(`/proc/${pid}/${file}`, "utf8"));
}

/** Processes end while they are read, and those of other users show little. */
async function unlessGone(found: Promise<string>): Promise<string | undefined> {
  try {
    return await found;
  } catch (error) {
    const code = systemCode(error) ?? "";
    if (["ENOENT", "ESRCH", "EACCES", "EPERM"].includes(code)) return undefined;
    throw error;
  }
}

/** Returns the fields after the name, which may itself hold blanks and brackets. */
function fields(stat: string): readonly string[] {
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function startTime(stat: string): string | undefined {
  return fields(stat)[19];
}

/**
 * Whether all threads have ended. The first thread may end before the others, which still have all files
 * open.
 */
export function hasEnded(stat: string): boolean {
  const { 0: state, 17: threads } = fields(stat);
  return state === "Z" && Number(threads) <= 1;
}
