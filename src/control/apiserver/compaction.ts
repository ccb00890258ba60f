// Compaction of the store: history is kept for a while, so that disconnected clients can catch up.
import { systemClock } from "../../base/host/clock.system.ts";
import { pause } from "../../base/host/clock.ts";
import type { Log } from "../../base/program/log.ts";
import type { Revision, Store } from "../store/store.ts";

export interface CompactionOptions {
  readonly store: Store;
  readonly log: Log;
  readonly intervalMs?: number;
  /** Called with the revision before which there is no history any more. */
  readonly compacted?: (revision: Revision) => void;
}

const fiveMinutes = 5 * 60 * 1000;

/** Compacts at every interval to the revision of one interval ago. */
export async function runCompaction(
  options: CompactionOptions,
  signal: AbortSignal,
): Promise<void> {
  const { store, log, intervalMs = fiveMinutes, compacted } = options;
  let before: Revision | undefined;
  while (!signal.aborted) {
    try {
      const now = await store.revision();
      if (before !== undefined) {
        await store.compact(before);
        compacted?.(before);
      }
      before = now;
    } catch (error) {
      if (signal.aborted) return;
      log.warn("Cannot compact the store; trying again later", { error });
    }
    await pause(systemClock, intervalMs, signal);
  }
}
