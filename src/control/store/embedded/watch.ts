// Watches of the embedded store: each reads history at its own pace, and nothing is buffered for it.

import { expired } from "../check.ts";
import { StoreError } from "../errors.ts";
import type { Change, ChangeBatch, Revision, WatchOptions } from "../port.ts";
import type { Written } from "./batch.ts";
import { readEntry } from "./values.ts";
import type { Version, Versions } from "./versions.ts";

/** The number of changes examined at once; a few more if a transaction would be split. */
const mostChanges = 1000;
/** The number of bytes at which a batch ends. */
const largestBatch = 4 << 20;

export class Watches {
  readonly #versions: Versions;
  readonly #sleeping = new Set<() => void>();
  /** The values of the last write, which watches that have kept up ask for next. */
  #recent = new Map<Version, Uint8Array>();
  #isClosed = false;

  constructor(versions: Versions) {
    this.#versions = versions;
  }

  /** Wakes the watches for new changes. */
  wake(written: readonly Written[] = []): void {
    this.#recent = new Map(
      this.#sleeping.size === 0 ? [] : written.map(({ version, value }) => [version, value]),
    );
    for (const resolve of this.#sleeping) resolve();
    this.#sleeping.clear();
  }

  close(): void {
    this.#isClosed = true;
    this.wake();
  }

  async *watch(prefix: string, options: WatchOptions): AsyncGenerator<ChangeBatch> {
    const { after, signal, previous = true } = options;
    let seen = after;
    while (!signal.aborted) {
      if (this.#isClosed) throw closed();
      const { revision, compacted } = this.#versions;
      if (seen < compacted) throw expired(seen, compacted);
      if (revision <= seen) {
        await this.#sleep(signal);
        continue;
      }
      const batch = this.#read(prefix, seen, previous);
      seen = batch.revision;
      yield batch;
    }
  }

  #read(prefix: string, seen: Revision, withPrevious: boolean): ChangeBatch {
    const versions = this.#versions.after(seen, mostChanges);
    const changes: Change[] = [];
    let bytes = 0;
    for (const [index, version] of versions.entries()) {
      if (bytes > largestBatch && version.modified !== versions[index - 1]?.modified) {
        return { revision: version.modified - 1, changes };
      }
      if (!version.key.startsWith(prefix)) continue;
      const change = this.#toChange(version, withPrevious);
      bytes += change.value.length + (change.previous?.value.length ?? 0);
      changes.push(change);
    }
    const isAll = versions.length < mostChanges;
    const last = versions.at(-1)?.modified ?? seen;
    return { revision: isAll ? this.#versions.revision : last, changes };
  }

  #toChange(version: Version, withPrevious: boolean): Change {
    const { key, created, modified, older } = version;
    const previous =
      withPrevious && older !== undefined && !older.isDeletion ? readEntry(older) : undefined;
    if (version.isDeletion) {
      const value = previous?.value ?? nothing;
      const change: Change = {
        type: "delete",
        key,
        value,
        created: previous?.created ?? 0,
        modified,
      };
      return previous === undefined ? change : { ...change, previous };
    }
    const value = this.#recent.get(version) ?? readEntry(version).value;
    const change: Change = { type: "put", key, value, created, modified };
    return previous === undefined ? change : { ...change, previous };
  }

  #sleep(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const awake = (): void => {
        signal.removeEventListener("abort", awake);
        this.#sleeping.delete(awake);
        resolve();
      };
      signal.addEventListener("abort", awake, { once: true });
      this.#sleeping.add(awake);
    });
  }
}

export function closed(): StoreError {
  return new StoreError("Cannot use the store: it is closed", { reason: "closed" });
}

const nothing = new Uint8Array(0);
