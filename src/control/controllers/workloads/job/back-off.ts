// Computes how long a job waits before it replaces failed pods.

import type { Pod } from "../../../../api/types/core.ts";
import { endedAt } from "./pods.ts";

const initialMs = 10_000;
const maximumMs = 10 * 60_000;

export interface Ended {
  readonly succeeded: readonly Pod[];
  readonly failed: readonly Pod[];
}

/**
 * Returns the remaining back-off: doubled with every failure since the last success, counted from the last
 * failure.
 */
export function backOffRemaining({ succeeded, failed }: Ended, now: number): number {
  const lastSuccess = Math.max(0, ...succeeded.map(endedAt));
  const failures = failed.map(endedAt).filter((time) => time > lastSuccess);
  if (failures.length === 0) return 0;
  const delay = Math.min(maximumMs, initialMs * 2 ** Math.min(20, failures.length - 1));
  return Math.max(0, Math.max(...failures) + delay - now);
}
