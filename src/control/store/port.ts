// What the API server asks of a store: ordered keys under one global revision, compare-and-swap over
// several keys, and watches that neither miss nor repeat a change. What goes wrong is told by the
// reasons in errors.ts.

/**
 * An empty store is at revision 1 or later, and each transaction that changes something gets a greater
 * one; numbers may be left out. 0 stands for "does not exist".
 */
export type Revision = number;

export interface Entry {
  /** Begins with a slash. */
  readonly key: string;
  /** May share memory with others that were read in one go: copy what is kept for long. */
  readonly value: Uint8Array;
  /** The revision that created the key, since its last deletion. */
  readonly created: Revision;
  /** The revision that wrote this value. */
  readonly modified: Revision;
}

export interface Page {
  /** In key order: by code unit or by byte, which differ only beyond the Basic Multilingual Plane. */
  readonly entries: readonly Entry[];
  /** The revision the page was read at; pass it on to read the next page of the same snapshot. */
  readonly revision: Revision;
  /** Whether entries follow the last one of this page. */
  readonly more: boolean;
  /** About how many entries follow, if the store knows without counting. */
  readonly remaining?: number;
}

export interface ListOptions {
  /** All entries when not given. */
  readonly limit?: number;
  /** Start behind this key (exclusive). */
  readonly after?: string;
  /** Read as of this revision; a compacted one is "expired", one to come is "future". */
  readonly revision?: Revision;
}

export interface Compare {
  readonly key: string;
  /** The key's `modified` revision must be this; 0 means that the key must not exist. */
  readonly modified: Revision;
}

export type Operation =
  | {
      readonly type: "put";
      readonly key: string;
      readonly value: Uint8Array;
      /** The entry is deleted when so much time has passed, or a little more. */
      readonly ttlSeconds?: number;
    }
  | { readonly type: "delete"; readonly key: string };

export interface Transaction {
  readonly compare: readonly Compare[];
  /**
   * Each key at most once, and no more than 128: etcd takes no more. All or none are carried out, under
   * one new revision. To delete what is not there changes nothing, and what changes nothing takes no
   * revision.
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
  /** The new value of a put; the last value before a delete. */
  readonly value: Uint8Array;
  /** Of a delete: when the entry that is gone was created. */
  readonly created: Revision;
  readonly modified: Revision;
  /** The entry before this change, if there was one. */
  readonly previous?: Entry;
}

export interface ChangeBatch {
  /** Everything up to this revision has been delivered, the changes of one transaction together. */
  readonly revision: Revision;
  /**
   * In revision order; empty when the batch only reports progress. A revision that a call of this store
   * has returned is reached soon, also when its changes lie outside the watched prefix.
   */
  readonly changes: readonly Change[];
}

export interface WatchOptions {
  /** Deliver what was committed after this revision; a compacted one is "expired". */
  readonly after: Revision;
  /**
   * `false` spares the store to look up what was there before: changes come without `previous`, and
   * deletes with an empty value and `created` 0.
   */
  readonly previous?: boolean;
  readonly signal: AbortSignal;
}

export interface Store {
  get(key: string): Promise<Entry | undefined>;
  list(prefix: string, options?: ListOptions): Promise<Page>;
  /**
   * Resolves once the transaction is durable. After "unknown-outcome" it may have been carried out or
   * may be yet, so a caller reads before it decides anything; after other errors it was not.
   */
  commit(transaction: Transaction): Promise<Committed>;
  /**
   * Ends when the signal aborts; throws when it cannot go on without a gap. Nothing is gathered for a
   * consumer that is slow: it reads on from history, until compaction has overtaken it ("expired").
   */
  watch(prefix: string, options: WatchOptions): AsyncIterable<ChangeBatch>;
  /** The newest committed revision. */
  revision(): Promise<Revision>;
  /**
   * Forgets history up to and including this revision; the state at the revision itself can still be
   * listed, and watched on from. To compact what is compacted already changes nothing.
   */
  compact(revision: Revision): Promise<void>;
  close(): Promise<void>;
}
