// The embedded store in a directory of this machine: an append-only log, and an index of it in memory. See
// docs/decisions/0004-embedded-store.md.

import type { Clock } from "../../../base/host/clock.ts";
import { checkKey, checkRevision, checkTransaction, future } from "../check.ts";
import type {
  ChangeBatch,
  Committed,
  Entry,
  ListOptions,
  Page,
  Revision,
  Store,
  Transaction,
  WatchOptions,
} from "../port.ts";
import type { Written } from "./batch.ts";
import { Committer } from "./committer.ts";
import { Expiry } from "./expiry.ts";
import type { Loaded } from "./load.ts";
import type { Log } from "./log.system.ts";
import { rewrite } from "./rewrite.ts";
import { readEntries, readEntry } from "./values.ts";
import type { Versions } from "./versions.ts";
import { closed, Watches } from "./watch.ts";

interface EmbeddedStoreOptions {
  readonly clock: Clock;
  /** How many bytes the log may exceed twice the live data before it is rewritten. */
  readonly spareBytes: number;
  /** Releases the lock of the directory. */
  readonly release: () => Promise<void>;
}

export class EmbeddedStore implements Store {
  readonly #log: Log;
  readonly #versions: Versions;
  readonly #watches: Watches;
  readonly #expiry: Expiry;
  readonly #committer: Committer;
  readonly #options: EmbeddedStoreOptions;
  readonly #closing = new AbortController();
  #rewriting: Promise<void> | undefined;
  #closed: Promise<void> | undefined;

  constructor({ log, versions, expiring }: Loaded, options: EmbeddedStoreOptions) {
    const { clock } = options;
    this.#log = log;
    this.#versions = versions;
    this.#options = options;
    this.#watches = new Watches(versions);
    this.#committer = new Committer({
      log,
      versions,
      now: () => clock.now(),
      onDurable: (written) => this.#announce(written),
    });
    this.#expiry = new Expiry({ clock, commit: (transaction) => this.commit(transaction) });
    for (const [version, expires] of expiring) this.#expiry.add(version, expires);
  }

  async get(key: string): Promise<Entry | undefined> {
    this.#checkOpen();
    checkKey(key);
    const version = this.#versions.newest(key);
    return version === undefined || version.isDeletion ? undefined : readEntry(version);
  }

  async list(prefix: string, options: ListOptions = {}): Promise<Page> {
    this.#checkOpen();
    const { revision: newest, compacted } = this.#versions;
    const { after, revision = newest, limit = Infinity } = options;
    checkRevision(revision, { newest, compacted });
    const versions = this.#versions.range({ prefix, revision, after, limit: limit + 1 });
    const more = versions.length > limit;
    if (more) versions.pop();
    const last = versions.at(-1);
    const remaining = more && last ? this.#versions.countBehind(prefix, last.key) : 0;
    const release = this.#log.hold();
    try {
      return { entries: await readEntries(versions), revision, more, remaining };
    } finally {
      release();
    }
  }

  async commit(transaction: Transaction): Promise<Committed> {
    this.#checkOpen();
    checkTransaction(transaction);
    return this.#committer.commit(transaction);
  }

  watch(prefix: string, options: WatchOptions): AsyncIterable<ChangeBatch> {
    return this.#watches.watch(prefix, options);
  }

  async revision(): Promise<Revision> {
    this.#checkOpen();
    return this.#versions.revision;
  }

  async compact(revision: Revision): Promise<void> {
    this.#checkOpen();
    await this.#committer.between(() => this.#forget(revision));
    const { spareBytes } = this.#options;
    if (this.#log.bytes <= 2 * this.#versions.bytes + spareBytes) return;
    this.#rewriting ??= this.#rewrite();
    await this.#rewriting;
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    this.#expiry.close();
    await this.#committer.idle();
    await Promise.allSettled([this.#rewriting]);
    this.#watches.close();
    this.#log.close();
    await this.#options.release();
  }

  async #forget(revision: Revision): Promise<void> {
    const newest = this.#versions.revision;
    if (revision > newest) throw future(revision, newest);
    if (revision <= this.#versions.compacted) return;
    const mark = {
      kind: "mark",
      modified: newest,
      created: revision,
      expires: 0,
      key: "",
    } as const;
    await this.#committer.write((frame) => frame.add(mark));
    this.#versions.compact(revision);
    this.#watches.wake();
  }

  async #rewrite(): Promise<void> {
    try {
      await rewrite({
        log: this.#log,
        versions: this.#versions,
        between: (task) => this.#committer.between(task),
        signal: this.#closing.signal,
      });
    } finally {
      this.#rewriting = undefined;
    }
  }

  #announce(written: readonly Written[]): void {
    for (const { version, expires } of written) {
      if (expires > 0) this.#expiry.add(version, expires);
    }
    this.#watches.wake(written);
  }

  #checkOpen(): void {
    if (this.#closing.signal.aborted) throw closed();
  }
}
