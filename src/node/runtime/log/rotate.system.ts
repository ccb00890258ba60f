import { rename, rm, stat } from "node:fs/promises";
import type { LogLimits } from "../port.ts";
import { logFiles } from "./files.system.ts";

/**
 * Rotates a log that has become too large. Its writer must reopen it then, and writes to the old file until
 * it has. Returns whether the log was rotated.
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
