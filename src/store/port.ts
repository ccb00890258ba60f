// What the API server asks of a store: ordered keys under one global revision, compare-and-swap over
// several keys, and watches that neither miss nor repeat a change.

/** Revisions start at 1 and grow by one per committed transaction. 0 stands for "does not exist". */
export type Revision = number;

export interface Entry {
  readonly key: string;
  readonly value: Uint8Array;
  /** The revision that created the key, since its last deletion. */
  readonly created: Revision;
  /** The revision that wrote this value. */
  readonly modified: Revision;
}

export interface Page {
  /** In key order. */
  readonly entries: readonly Entry[];
  /** The revision the page was read at; pass it on to read the next page of the same snapshot. */
  readonly revision: Revision;
  /** Whether entries follow the last one of this page. */
  readonly more: boolean;
  /** How many entries follow, if the store knows without counting. */
  readonly remaining?: number;
}

export interface ListOptions {
  readonly limit?: number;
  /** Start behind this key (exclusive). */
  readonly after?: string;
  /** Read as of this revision; a compacted one throws ExpiredError, one to come FutureError. */
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
      readonly ttlSeconds?: number;
    }
  | { readonly type: "delete"; readonly key: string };

export interface Transaction {
  readonly compare: readonly Compare[];
  /** Each key at most once. All or none are carried out, under one new revision. */
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
  readonly created: Revision;
  readonly modified: Revision;
  /** The entry before this change, if there was one. */
  readonly previous?: Entry;
}

export interface ChangeBatch {
  /** Everything up to this revision has been delivered. */
  readonly revision: Revision;
  /** In revision order; empty when the batch only reports progress. */
  readonly changes: readonly Change[];
}

export interface WatchOptions {
  /** Deliver what was committed after this revision; a compacted one throws ExpiredError. */
  readonly after: Revision;
  readonly signal: AbortSignal;
}

export interface Store {
  get(key: string): Promise<Entry | undefined>;
  list(prefix: string, options?: ListOptions): Promise<Page>;
  /** Resolves once the transaction is durable. */
  commit(transaction: Transaction): Promise<Committed>;
  /** Ends when the signal aborts; throws when it cannot go on without a gap. */
  watch(prefix: string, options: WatchOptions): AsyncIterable<ChangeBatch>;
  /** The newest committed revision. */
  revision(): Promise<Revision>;
  /** Forgets history up to and including this revision; the newest value of each key stays. */
  compact(revision: Revision): Promise<void>;
  close(): Promise<void>;
}
