import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { promisify } from "node:util";
import { systemCode } from "../../../base/program/errors.ts";

/** Removes a directory, if it exists. It retries while programs that are about to end still write into it. */
export async function removeDirectory(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true, maxRetries: 30, retryDelay: 20 });
  } catch (error) {
    if (systemCode(error) !== "ENAMETOOLONG") throw error;
    await removeWritten(path);
  }
}

/**
 * Removes what containers have written. Whatever they do meanwhile, and however deeply they have nested it,
 * only what is below the path is removed: `rm` walks by file descriptors and stays on the file system.
 */
export async function removeWritten(path: string): Promise<void> {
  await promisify(execFile)("rm", ["-rf", "--one-file-system", "--", path]);
}
