// The store port, as the API server uses it: ordered keys under one global revision, compare-and-swap over
// several keys, and watches that neither miss nor repeat a change. Errors have the reasons of errors.ts.

/**
 * The revision of a store: an empty one is at 1 or later, and each transaction that changes something gets a
 * greater one; numbers may be skipped. 0 stands for "does not exist".
 */
export type Revision = number;

export interface Entry {
  /** The key, which begins with a slash. */
  readonly key: string;
  /** The value. It may share memory with other values of the same read: copy it to keep it for long. */
  readonly value: Uint8Array;
  /** The revision that created the key since its last deletion. */
  readonly created: Revision;
  /** The revision that wrote this value. */
  readonly modified: Revision;
}

export interface Page {
  /**
   * The entries in key order: by code unit or by byte, which differ only beyond the Basic Multilingual Plane.
   */
  readonly entries: readonly Entry[];
  /** The revision the page was read at; pass it on to read the next page of the same snapshot. */
  readonly revision: Revision;
  /** Whether entries follow the last one of this page. */
  readonly more: boolean;
  /** About how many entries follow, if the store knows without counting. */
  readonly remaining?: number;
}

export interface ListOptions {
  /** The most entries to return; all if not given. */
  readonly limit?: number;
  /** The key behind which to start (exclusive). */
  readonly after?: string;
  /** The revision to read at; a compacted one is "expired", a later one than the newest is "future". */
  readonly revision?: Revision;
}

export interface Compare {
  readonly key: string;
  /** The required `modified` revision of the key; 0 means that the key must not exist. */
  readonly modified: Revision;
}

export type Operation =
  | {
      readonly type: "put";
      readonly key: string;
      readonly value: Uint8Array;
      /** The time to live, after which, or a little later, the entry is deleted. */
      readonly ttlSeconds?: number;
    }
  | { readonly type: "delete"; readonly key: string };

export interface Transaction {
  readonly compare: readonly Compare[];
  /**
   * The operations, all or none of which are done, under one new revision. Each key may occur once, and there
   * are at most 128, which is etcd's limit. Deleting a missing key changes nothing, and a transaction that
   * changes nothing takes no revision.
   */
  readonly operations: readonly Operation[];
}

export type Committed =
  | { readonly ok: true; readonly revision: Revision }
  /** A comparison failed; nothing was written. `revision` is the store's newest. */
  | { readonly ok: false; readonly revision: Revision };

export interface Change {
  readonly type: "put" | "delete";
  readonly key: string;
  /** The new value of a put, or the last value before a delete. */
  readonly value: Uint8Array;
  /** The revision that created the entry; for a delete, the one that created the deleted entry. */
  readonly created: Revision;
  readonly modified: Revision;
  /** The entry before this change, if there was one. */
  readonly previous?: Entry;
}

export interface ChangeBatch {
  /** The revision up to which all changes have been delivered; a transaction is never split. */
  readonly revision: Revision;
  /**
   * The changes in revision order; empty when the batch only reports progress. A revision that a call of this
   * store has returned is reached soon, also when its changes lie outside of the watched prefix.
   */
  readonly changes: readonly Change[];
}

export interface WatchOptions {
  /** The revision after which to deliver changes; a compacted one is "expired". */
  readonly after: Revision;
  /**
   * Whether to deliver previous values. `false` saves the store the look-up: changes come without `previous`,
   * and deletes with an empty value and `created` 0.
   */
  readonly previous?: boolean;
  readonly signal: AbortSignal;
}

export interface Store {
  get(key: string): Promise<Entry | undefined>;
  list(prefix: string, options?: ListOptions): Promise<Page>;
  /**
   * Commits a transaction and resolves once it is durable. After "unknown-outcome" it may have been committed
   * or may still be, so that the caller has to read before it decides; after other errors it was not.
   */
  commit(transaction: Transaction): Promise<Committed>;
  /**
   * Watches a prefix. Ends when the signal aborts; throws when it cannot continue without a gap. Nothing is
   * buffered for a slow consumer: it reads on from history, until compaction overtakes it ("expired").
   */
  watch(prefix: string, options: WatchOptions): AsyncIterable<ChangeBatch>;
  /** Returns the newest committed revision. */
  revision(): Promise<Revision>;
  /**
   * Forgets history up to and including this revision; the state at the revision itself can still be listed,
   * and watched from. Compacting an already compacted revision changes nothing.
   */
  compact(revision: Revision): Promise<void>;
  close(): Promise<void>;
}
