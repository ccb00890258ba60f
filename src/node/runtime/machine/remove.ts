import { rm } from "node:fs/promises";

/** Also when it is not there, and while programs still write into it that are about to end. */
export async function removeDirectory(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 30, retryDelay: 20 });
}
