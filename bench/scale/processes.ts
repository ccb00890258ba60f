// What processes cost: processor time and memory, as the kernel counts them.

import { readFile } from "node:fs/promises";

export interface Cost {
  /** In milliseconds since the start of the process. */
  readonly cpuMs: number;
  readonly bytes: number;
}

/** The length of a clock tick of the kernel's counts. */
const tickMs = 10;

export async function costOf(pids: readonly number[]): Promise<Cost> {
  const costs = await Promise.all(pids.map(processCost));
  return {
    cpuMs: costs.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
    bytes: costs.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

async function processCost(pid: number): Promise<Cost> {
  const [stat, status] = await Promise.all([
    readFile(`/proc/${pid}/stat`, "utf8"),
    readFile(`/proc/${pid}/status`, "utf8"),
  ]);
  // The name of the program, in brackets, may have blanks.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = Number(fields[11]) + Number(fields[12]);
  return {
    cpuMs: ticks * tickMs,
    bytes: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024,
  };
}
