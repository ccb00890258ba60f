// Processes as this machine sees them, by their numbers here.

import { readdir, readFile, readlink } from "node:fs/promises";

/** A number alone may be somebody else's by now. */
export interface ProcessId {
  readonly pid: number;
  /** In the kernel's ticks since boot. */
  readonly startedAt: string;
}

export interface EnclosedProcess extends ProcessId {
  /** Its number inside of its own namespace. */
  readonly innerPid: number;
  /** By which the kernel knows it, also when it has ended. */
  readonly name: string;
  readonly command: readonly string[];
  readonly memoryBytes: number;
}

export async function identify(pid: number): Promise<ProcessId | undefined> {
  const stat = await readProcess(pid, "stat");
  const startedAt = stat === undefined ? undefined : startTime(stat);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

/** A process that has ended and was not waited for yet counts as gone. */
export async function isAlive({ pid, startedAt }: ProcessId): Promise<boolean> {
  const stat = await readProcess(pid, "stat");
  return stat !== undefined && startTime(stat) === startedAt && !hasEnded(stat);
}

/** What the kernel does for it, as far as it tells. */
export async function stateOf({ pid }: ProcessId): Promise<string> {
  const [stat, place] = await Promise.all(["stat", "wchan"].map((file) => readProcess(pid, file)));
  const letter = stat === undefined ? "gone" : (fields(stat)[0] ?? "");
  return place === undefined || place === "0" ? letter : `${letter} in ${place}`;
}

export function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** The first process of the namespace that this one has made: `unshare` waits for it. */
export async function firstChild(pid: number): Promise<number | undefined> {
  const children = await readProcess(pid, `task/${pid}/children`);
  const [first] = (children ?? "").split(" ").filter((text) => text !== "");
  return first === undefined ? undefined : Number(first);
}

/** Everybody in the process namespace of this one. */
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

/** Processes end while one looks at them, and those of others show little. */
async function unlessGone(found: Promise<string>): Promise<string | undefined> {
  try {
    return await found;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (["ENOENT", "ESRCH", "EACCES", "EPERM"].includes(code)) return undefined;
    throw error;
  }
}

/** The fields behind the name, which may itself hold blanks and brackets. */
function fields(stat: string): readonly string[] {
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function startTime(stat: string): string | undefined {
  return fields(stat)[19];
}

/** Its first thread may end before the others, which still have everything open. */
export function hasEnded(stat: string): boolean {
  const { 0: state, 17: threads } = fields(stat);
  return state === "Z" && Number(threads) <= 1;
}
