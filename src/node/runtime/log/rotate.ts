import { rename, rm, stat } from "node:fs/promises";
import type { LogLimits } from "../port.ts";
import { logFiles } from "./files.ts";

/**
 * Puts a log aside when it has become too large; who writes it must open it anew then, and goes on
 * writing into the old one until it has. True when that was done.
 */
export async function rotateLog(path: string, limits: LogLimits = {}): Promise<boolean> {
  const { maxBytes = 10 * 1024 * 1024, kept = 4 } = limits;
  const found = await stat(path, { throwIfNoEntry: false });
  if (found === undefined || found.size <= maxBytes) return false;
  for (const file of await logFiles(path)) {
    const number = file === path ? 0 : Number(file.slice(path.length + 1));
    if (number >= kept) await rm(file, { force: true });
    else await rename(file, `${path}.${number + 1}`);
  }
  return true;
}
