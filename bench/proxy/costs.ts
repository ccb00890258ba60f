// A program and everything it has started: what they cost, read from /proc.

import { globSync, readFileSync } from "node:fs";

export function cpuSeconds(pid: number): number {
  return familyOf(pid).reduce((sum, { ticks }) => sum + ticks, 0) / 100;
}

export function residentBytes(pid: number): number {
  return familyOf(pid).reduce((sum, { pages }) => sum + pages, 0) * 4096;
}

export function signal(pid: number, name: "SIGSTOP" | "SIGCONT"): void {
  for (const one of familyOf(pid)) {
    try {
      process.kill(one.pid, name);
    } catch (error) {
      // A program that it had started has ended meanwhile.
      if (one.pid === pid || (error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  /** Its own, and those of children that have ended. */
  readonly ticks: number;
  readonly pages: number;
}

function familyOf(pid: number): readonly Process[] {
  const all = globSync("/proc/[0-9]*/stat").flatMap(readProcess);
  const family: Process[] = [];
  const pending = [pid];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    family.push(...all.filter((one) => one.pid === next));
    pending.push(...all.filter(({ parent }) => parent === next).map((one) => one.pid));
  }
  return family;
}

function readProcess(path: string): Process[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    // It has ended in the meantime.
    if (error instanceof Error && "code" in error) return [];
    throw error;
  }
  const fields = text
    .slice(text.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  const [, parent = 0] = fields;
  const ticks = fields.slice(11, 15).reduce((sum, each) => sum + each, 0);
  return [{ pid: Number.parseInt(text, 10), parent, ticks, pages: fields[21] ?? 0 }];
}
