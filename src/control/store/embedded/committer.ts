// The single writer. While one write is on its way to the disk, transactions queue up for the next.

import { setImmediate } from "node:timers/promises";
import { StoreError } from "../errors.ts";
import type { Committed, Transaction } from "../port.ts";
import { Batch, type Written } from "./batch.ts";
import type { Log } from "./log.system.ts";
import { FrameBuilder } from "./record.ts";
import type { Segment } from "./segment.system.ts";
import type { Versions } from "./versions.ts";

interface CommitterOptions {
  readonly log: Log;
  readonly versions: Versions;
  readonly now: () => number;
  /** Called after each write that has become durable, before its transactions are acknowledged. */
  readonly onDurable: (written: readonly Written[]) => void;
}

interface Waiting {
  readonly transaction: Transaction;
  readonly resolve: (committed: Committed) => void;
  readonly reject: (error: unknown) => void;
}

/** The size at which a frame is written; further transactions wait for the next frame. */
const largestFrame = 8 << 20;

export class Committer {
  readonly #options: CommitterOptions;
  readonly #frame = new FrameBuilder();
  #waiting: Waiting[] = [];
  #tasks: (() => Promise<void>)[] = [];
  #running: Promise<void> | undefined;
  #failure: Error | undefined;

  constructor(options: CommitterOptions) {
    this.#options = options;
  }

  commit(transaction: Transaction): Promise<Committed> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ transaction, resolve, reject });
      this.#wake();
    });
  }

  /** Runs a task while nothing is being written. */
  between<T>(task: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#tasks.push(() => task().then(resolve, reject));
      this.#wake();
    });
  }

  /** Writes a frame of the caller's own; only from within a task of `between`. */
  async write(fill: (frame: FrameBuilder) => void): Promise<void> {
    this.#frame.clear();
    fill(this.#frame);
    await this.#flush();
  }

  /** Resolves when all queued transactions have been written. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  #wake(): void {
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0 || this.#tasks.length > 0) {
      // One turn of the event loop lets requests of other connections join the batch.
      await setImmediate();
      for (const task of this.#tasks.splice(0)) await task();
      if (this.#waiting.length > 0) await this.#writeBatch();
    }
    // No await between the last look at the queues and this line, so that no transaction is left waiting.
    this.#running = undefined;
  }

  async #writeBatch(): Promise<void> {
    const { versions, now, onDurable } = this.#options;
    const taken: Waiting[] = [];
    try {
      const segment = await this.#writableSegment();
      this.#frame.clear();
      const batch = new Batch({ versions, frame: this.#frame, segment, now: now() });
      const outcomes: Committed[] = [];
      while (this.#frame.size < largestFrame) {
        const next = this.#waiting[taken.length];
        if (next === undefined) break;
        taken.push(next);
        outcomes.push(batch.add(next.transaction));
      }
      this.#waiting = this.#waiting.slice(taken.length);
      if (!this.#frame.isEmpty) await this.#flush();
      batch.apply();
      if (batch.written.length > 0) onDurable(batch.written);
      for (const [index, outcome] of outcomes.entries()) taken[index]?.resolve(outcome);
    } catch (error) {
      const refused = taken.length > 0 ? taken : this.#waiting.splice(0);
      for (const { reject } of refused) reject(error);
    }
  }

  async #writableSegment(): Promise<Segment> {
    try {
      await this.#options.log.rotateWhenFull();
    } catch (error) {
      throw unavailable(error);
    }
    return this.#options.log.active;
  }

  async #flush(): Promise<void> {
    if (this.#failure !== undefined) throw unavailable(this.#failure);
    const { active } = this.#options.log;
    try {
      active.write(this.#frame.finish(active.salt));
    } catch (error) {
      throw unavailable(error);
    }
    try {
      await active.sync();
      this.#options.log.acknowledge();
    } catch (error) {
      // A write that failed cannot be retried: the kernel drops its dirty pages and does not write them
      // again.
      this.#failure = error as Error;
      const message = "Cannot commit: the write may or may not have reached the disk";
      throw new StoreError(message, { reason: "unknown-outcome", cause: error });
    }
  }
}

function unavailable(cause: unknown): StoreError {
  return new StoreError("Cannot commit: the log cannot be written", {
    reason: "unavailable",
    cause,
  });
}
