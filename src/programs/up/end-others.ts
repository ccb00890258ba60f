import { readdir } from "node:fs/promises";
import type { Clock } from "../../base/host/clock.ts";
import { kill } from "./processes.ts";

/** How long processes in pods may take to end by themselves. */
const graceMs = 2000;
const pauseMs = 20;

/**
 * Asks all other processes of this PID namespace to end and waits a while; the rest ends with the namespace.
 * Only for the process that the namespace was made for.
 */
export async function endOthers(clock: Clock): Promise<void> {
  if (process.ppid !== 1) return;
  const others = async () =>
    (await readdir("/proc")).map(Number).filter((pid) => pid > 1 && pid !== process.pid);
  for (const pid of await others()) kill(pid, "SIGTERM");
  const deadline = clock.monotonic() + graceMs;
  while ((await others()).length > 0 && clock.monotonic() < deadline) await clock.sleep(pauseMs);
}
