// A model of etcd: what its answers mean, without members, disks or elections.

import { EtcdError } from "../../../src/base/etcd/errors.ts";
import type { Event, KeyValue } from "../../../src/base/etcd/messages.ts";
import type * as methods from "../../../src/base/etcd/methods.ts";
import type { Received, Sent } from "../../../src/base/etcd/wire.ts";

type RangeRequest = Sent<typeof methods.range.request>;
type RangeResponse = Received<typeof methods.range.response>;
type TxnRequest = Sent<typeof methods.txn.request>;
type TxnResponse = Received<typeof methods.txn.response>;

export interface Watcher {
  readonly key: string;
  readonly end: string;
  /** Receives the events of one revision, or none to report progress. */
  tell(revision: number, events: readonly Event[]): void;
}

export class ModelEtcd {
  revision = 1;
  compacted = 0;
  readonly entries = new Map<string, KeyValue>();
  /** Called after each change, before anybody is told. */
  onChange: (events: readonly Event[]) => void = () => undefined;
  #history: { readonly revision: number; readonly events: readonly Event[] }[] = [];
  readonly #watchers = new Set<Watcher>();
  readonly #leases = new Map<number, Set<string>>();

  range({ key = "", rangeEnd, limit = 0, revision = 0 }: RangeRequest): RangeResponse {
    if (revision > this.revision) throw new EtcdError("future revision", { reason: "future" });
    if (revision !== 0 && revision < this.compacted) throw compactedError(this.compacted);
    const end = rangeEnd === undefined ? `${key}\0` : Buffer.from(rangeEnd).toString();
    const state = revision === 0 ? this.entries : this.#at(revision);
    const found = [...state.values()]
      .filter((entry) => entry.key >= key && entry.key < end)
      .toSorted((a, b) => (a.key < b.key ? -1 : 1));
    const most = limit === 0 || !Number.isFinite(limit) ? found.length : limit;
    return {
      header: { revision: this.revision },
      kvs: found.slice(0, most),
      more: found.length > most,
      count: found.length,
    };
  }

  txn({ compare = [], success = [], failure = [] }: TxnRequest): TxnResponse {
    const succeeded = compare.every(
      ({ key = "", modRevision = 0 }) => (this.entries.get(key)?.modRevision ?? 0) === modRevision,
    );
    const operations = succeeded ? success : failure;
    const events: Event[] = [];
    const revision = this.revision + 1;
    const responses = operations.map(({ range, put, deleteRange }) => {
      if (put !== undefined) events.push(this.#put(put, revision));
      if (deleteRange !== undefined) events.push(...this.#delete(deleteRange.key ?? "", revision));
      const answer = range && this.range(range);
      return { range: answer, put: undefined, deleteRange: undefined };
    });
    this.#commit(revision, events);
    return { header: { revision: this.revision }, succeeded, responses };
  }

  compact(revision: number): void {
    if (revision <= this.compacted) throw compactedError(this.compacted);
    this.compacted = revision;
    this.#history = this.#history.filter((change) => change.revision > revision);
  }

  grant(id: number): void {
    this.#leases.set(id, new Set());
  }

  /** Ends a lease, and deletes what was written with it. */
  expire(id: number): void {
    const keys = this.#leases.get(id) ?? [];
    this.#leases.delete(id);
    const revision = this.revision + 1;
    const events = [...keys].flatMap((key) =>
      this.entries.get(key)?.lease === id ? this.#delete(key, revision) : [],
    );
    this.#commit(revision, events);
  }

  /** Delivers what has happened since a revision, then everything that happens. */
  watch(watcher: Watcher, after: number): () => void {
    if (after < this.compacted) throw compactedError(this.compacted);
    for (const { revision, events } of this.#history) {
      if (revision > after) tell(watcher, revision, events);
    }
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  #at(revision: number): Map<string, KeyValue> {
    const state = new Map(this.entries);
    for (const change of this.#history.toReversed()) {
      if (change.revision <= revision) break;
      for (const { kv, prevKv } of change.events) {
        if (prevKv === undefined) state.delete(kv?.key ?? "");
        else state.set(prevKv.key, prevKv);
      }
    }
    return state;
  }

  #put(
    { key = "", value = new Uint8Array(), lease = 0 }: Sent<typeof methods.put.request>,
    modRevision: number,
  ): Event {
    const prevKv = this.entries.get(key);
    if (lease !== 0) {
      const keys = this.#leases.get(lease);
      if (keys === undefined) throw new EtcdError("no such lease", { reason: "not-found" });
      keys.add(key);
    }
    const { createRevision = modRevision, version = 0 } = prevKv ?? {};
    const copy = Buffer.from(value);
    const kv = { key, value: copy, createRevision, modRevision, version: version + 1, lease };
    this.entries.set(key, kv);
    return { type: 0, kv, prevKv };
  }

  #delete(key: string, modRevision: number): Event[] {
    const prevKv = this.entries.get(key);
    if (prevKv === undefined) return [];
    this.entries.delete(key);
    const value = new Uint8Array();
    const kv = { key, value, createRevision: 0, modRevision, version: 0, lease: 0 };
    return [{ type: 1, kv, prevKv }];
  }

  #commit(revision: number, events: readonly Event[]): void {
    if (events.length === 0) return;
    this.revision = revision;
    this.#history.push({ revision, events });
    this.onChange(events);
    for (const watcher of this.#watchers) tell(watcher, revision, events);
  }
}

function tell(watcher: Watcher, revision: number, events: readonly Event[]): void {
  const own = events.filter(({ kv }) => {
    const key = kv?.key ?? "";
    return key >= watcher.key && key < watcher.end;
  });
  if (own.length > 0) watcher.tell(revision, own);
}

function compactedError(compacted: number): EtcdError {
  return new EtcdError(`Cannot read: etcd is compacted up to revision ${compacted}`, {
    reason: "compacted",
  });
}
