import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "../../../base/host/clock.system.ts";
import type { Clock } from "../../../base/host/clock.ts";
import { systemCommands } from "../../../base/host/command.system.ts";
import { isTimedOut } from "../../../base/host/error.ts";
import { systemLocks } from "../../../base/host/lock.system.ts";
import type { Lock, Locks } from "../../../base/host/lock.ts";
import { StoreError } from "../errors.ts";
import type { Store } from "../port.ts";
import { load } from "./load.ts";
import type { LossOptions } from "./log.system.ts";
import { EmbeddedStore } from "./store.ts";

export interface EmbeddedOptions extends LossOptions {
  /** The directory, created when missing. Only one process at a time may have it open. */
  readonly directory: string;
  /** How many bytes the log may exceed twice the live data before it is rewritten; 64 MiB if not given. */
  readonly spareBytes?: number;
  readonly clock?: Clock;
  readonly locks?: Locks;
}

export async function openEmbedded(options: EmbeddedOptions): Promise<Store> {
  const { directory, spareBytes = 64 << 20, clock = systemClock } = options;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const lock = await acquire(directory, options.locks ?? systemLocks(systemCommands()));
  try {
    const release = (): Promise<void> => lock.release();
    return new EmbeddedStore(await load(directory, options), { clock, spareBytes, release });
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function acquire(directory: string, locks: Locks): Promise<Lock> {
  try {
    return await locks.acquire(join(directory, "lock"), { timeoutMs: 0 });
  } catch (error) {
    if (!isTimedOut(error)) throw error;
    const message = `Cannot open the store in ${directory}: another process has it open`;
    throw new StoreError(message, { reason: "in-use", cause: error });
  }
}
