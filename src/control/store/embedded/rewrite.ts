// Frees the disk space of compacted history: live records are copied into a snapshot, in key order and while
// the store goes on working, and the older files are removed.

import { setImmediate } from "node:timers/promises";
import type { Log, Snapshot } from "./log.system.ts";
import { FrameBuilder, valueDistance } from "./record.ts";
import type { Version, Versions } from "./versions.ts";

interface RewriteOptions {
  readonly log: Log;
  readonly versions: Versions;
  /** Runs a task while nothing is being written. */
  readonly between: <T>(task: () => Promise<T>) => Promise<T>;
  readonly signal: AbortSignal;
}

const frameBytes = 1 << 20;
/** The number of bytes to sync at once: more would keep other writes waiting. */
const syncBytes = 8 << 20;

export async function rewrite({ log, versions, between, signal }: RewriteOptions): Promise<void> {
  const snapshot = await between(() => log.beginSnapshot());
  const copy = new Copy(snapshot, versions);
  try {
    while (!copy.isDone && !signal.aborted) await copy.step();
    if (signal.aborted) return await log.dropSnapshot(snapshot);
    await log.placeSnapshot(snapshot);
  } catch (error) {
    await log.dropSnapshot(snapshot);
    throw error;
  }
  copy.moveVersions();
  await log.dropReplaced(snapshot);
}

class Copy {
  readonly #snapshot: Snapshot;
  readonly #versions: Versions;
  readonly #frame = new FrameBuilder();
  readonly #moved: { version: Version; offset: number }[] = [];
  #lastKey = "";
  #unsynced = 0;
  #isDone = false;

  constructor(snapshot: Snapshot, versions: Versions) {
    this.#snapshot = snapshot;
    this.#versions = versions;
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /** Copies one frame full of records. */
  async step(): Promise<void> {
    const { segment } = this.#snapshot;
    this.#frame.clear();
    this.#fill();
    segment.write(this.#frame.finish(segment.salt));
    this.#unsynced += this.#frame.size;
    if (this.#unsynced < syncBytes) return setImmediate();
    this.#unsynced = 0;
    return segment.sync();
  }

  moveVersions(): void {
    for (const { version, offset } of this.#moved) {
      version.segment = this.#snapshot.segment;
      version.offset = offset;
    }
  }

  #fill(): void {
    // Each step begins with a search by key, since keys come and go between the steps.
    for (const kept of this.#versions.keptAfter(this.#lastKey)) {
      for (const version of kept) this.#add(version);
      this.#lastKey = kept[0]?.key ?? this.#lastKey;
      if (this.#frame.size >= frameBytes) return;
    }
    const { revision, compacted } = this.#versions;
    this.#frame.add({ kind: "mark", modified: revision, created: compacted, expires: 0, key: "" });
    this.#isDone = true;
  }

  #add(version: Version): void {
    const { segment, replaces } = this.#snapshot;
    if (!replaces.includes(version.segment)) return;
    const distance = valueDistance(version.key);
    const record = version.segment.read(version.offset - distance, version.bytes);
    const at = this.#frame.addEncoded(record);
    this.#moved.push({ version, offset: segment.size + at + distance });
  }
}
