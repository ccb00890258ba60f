// The store in etcd, under a prefix of its own; etcd's revisions are the store's.

import { type EtcdClient, prefixEnd } from "../../../base/etcd/client.ts";
import { isCompacted, isNotFound } from "../../../base/etcd/errors.ts";
import type { Clock } from "../../../base/host/clock.ts";
import { checkKey, checkTransaction } from "../check.ts";
import type {
  ChangeBatch,
  Committed,
  Entry,
  ListOptions,
  Operation,
  Page,
  Revision,
  Store,
  Transaction,
  WatchOptions,
} from "../port.ts";
import { toChange, toEntry } from "./entries.ts";
import { toStoreError, translated } from "./errors.ts";
import { Leases } from "./leases.ts";
import { Progress, type WatchState } from "./progress.ts";

interface EtcdStoreOptions {
  /** The client, which is closed together with the store. */
  readonly client: UsedClient;
  /** The prefix of every key, without a slash at its end: `/tandem`. */
  readonly prefix: string;
  readonly clock: Clock;
}

/** The part of the client that the store uses. */
type UsedClient = Pick<
  EtcdClient,
  "range" | "txn" | "put" | "compact" | "grantLease" | "watch" | "close"
>;

type TxnRequest = Parameters<EtcdClient["txn"]>[0];

/** The number of entries per request. */
const pageSize = 2000;
/** The target of comparisons in etcd's protocol: the mod revision. */
const modRevision = 2;

export class EtcdStore implements Store {
  readonly #client: UsedClient;
  readonly #prefix: string;
  readonly #leases: Leases;
  readonly #progress: Progress;
  /** The key that progress writes; it sorts right before all keys of the store, and is none of them. */
  readonly #progressKey: string;

  constructor({ client, prefix, clock }: EtcdStoreOptions) {
    this.#client = client;
    this.#prefix = prefix;
    this.#leases = new Leases(client, clock);
    this.#progressKey = `${prefix}.progress`;
    this.#progress = new Progress({ clock, touch: () => this.#touch() });
  }

  async get(key: string): Promise<Entry | undefined> {
    checkKey(key);
    const { kvs } = await this.#range({ key: this.#prefix + key });
    return kvs[0] && toEntry(this.#prefix, kvs[0]);
  }

  async list(prefix: string, options: ListOptions = {}): Promise<Page> {
    const { limit = Infinity, after } = options;
    const entries: Entry[] = [];
    let { revision } = options;
    let key = after !== undefined && after >= prefix ? `${after}\0` : prefix;
    for (;;) {
      const page = await this.#range({
        key: this.#prefix + key,
        rangeEnd: prefixEnd(this.#prefix + prefix),
        limit: Math.min(limit - entries.length, pageSize),
        revision,
      });
      for (const kv of page.kvs) entries.push(toEntry(this.#prefix, kv));
      revision ??= page.revision;
      const last = entries.at(-1);
      if (!page.more || entries.length >= limit || last === undefined) {
        this.#progress.expect(revision);
        const remaining = page.count - page.kvs.length;
        return { entries, revision, more: page.more, remaining };
      }
      key = `${last.key}\0`;
    }
  }

  async commit(transaction: Transaction): Promise<Committed> {
    checkTransaction(transaction);
    const { succeeded, header } = await translated("commit", async () => {
      try {
        return await this.#client.txn(await this.#toRequest(transaction));
      } catch (error) {
        if (!isNotFound(error)) throw error;
        // The lease ended before its time, as when this machine slept; nothing was written.
        this.#leases.clear();
        return this.#client.txn(await this.#toRequest(transaction));
      }
    });
    const revision = header?.revision ?? 0;
    this.#progress.expect(revision);
    return { ok: succeeded, revision };
  }

  async *watch(prefix: string, options: WatchOptions): AsyncGenerator<ChangeBatch> {
    const { after, previous = true, signal } = options;
    const state: WatchState = { revision: after, isWaiting: true };
    this.#progress.add(state);
    try {
      const batches = this.#client.watch({
        key: this.#progressKey,
        rangeEnd: prefixEnd(`${this.#prefix}/`),
        after,
        prevKv: previous,
        signal,
      });
      const wanted = this.#prefix + prefix;
      for await (const { revision, events } of batches) {
        state.revision = revision;
        state.isWaiting = false;
        const matching = events.filter(({ kv }) => kv?.key.startsWith(wanted));
        const translation = { prefix: this.#prefix, previous };
        yield { revision, changes: matching.map((event) => toChange(event, translation)) };
        state.isWaiting = true;
      }
    } catch (error) {
      throw toStoreError("watch", error);
    } finally {
      this.#progress.delete(state);
    }
  }

  async revision(): Promise<Revision> {
    const { revision } = await this.#range({ key: this.#progressKey, keysOnly: true });
    this.#progress.expect(revision);
    return revision;
  }

  async compact(revision: Revision): Promise<void> {
    await translated(`compact to revision ${revision}`, async () => {
      try {
        await this.#client.compact({ revision });
      } catch (error) {
        if (!isCompacted(error)) throw error;
      }
    });
  }

  async close(): Promise<void> {
    this.#progress.close();
    this.#client.close();
  }

  async #range(
    request: Parameters<EtcdClient["range"]>[0],
  ): Promise<Awaited<ReturnType<EtcdClient["range"]>> & { revision: Revision }> {
    const answer = await translated("read", () => this.#client.range(request));
    return { ...answer, revision: answer.header?.revision ?? 0 };
  }

  async #toRequest({ compare, operations }: Transaction): Promise<TxnRequest> {
    return {
      compare: compare.map(({ key, modified }) => ({
        key: this.#prefix + key,
        target: modRevision,
        modRevision: modified,
      })),
      success: await Promise.all(operations.map((operation) => this.#toRequestOp(operation))),
    };
  }

  async #toRequestOp(operation: Operation): Promise<NonNullable<TxnRequest["success"]>[number]> {
    const key = this.#prefix + operation.key;
    if (operation.type === "delete") return { deleteRange: { key } };
    const { value, ttlSeconds } = operation;
    if (ttlSeconds === undefined) return { put: { key, value } };
    return { put: { key, value, lease: await this.#leases.lease(ttlSeconds) } };
  }

  async #touch(): Promise<void> {
    await translated("report progress", () => this.#client.put({ key: this.#progressKey }));
  }
}
