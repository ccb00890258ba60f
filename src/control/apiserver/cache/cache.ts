// The cache: the newest state of everything in the store, kept current by one watch.
import { systemClock } from "../../../base/host/clock.system.ts";
import { type Clock, pause } from "../../../base/host/clock.ts";
import type { Log } from "../../../base/program/log.ts";
import type { Change, ChangeBatch, Revision, Store } from "../../store/store.ts";
import { isClosed, isExpired } from "../../store/store.ts";
import { unavailable } from "../errors.ts";
import { type KeyParts, parseKey, registry } from "../keys.ts";
import { Collection } from "./collection.ts";
import { type Item, itemFromStored, type KnownSelectable, type Repair } from "./item.ts";
import { NewestRevision } from "./newest-revision.ts";
import { RevisionQueue } from "./revision-queue.ts";

export interface CacheOptions {
  readonly store: Store;
  readonly log: Log;
  /** Returns the repair for objects of a collection that this server did not write. */
  readonly repairOf: (collection: string) => Repair | undefined;
  readonly clock?: Clock;
}

const pageSize = 2000;
const retryDelay = 1000;

export class Cache {
  readonly #options: CacheOptions;
  readonly #collections = new Map<string, Collection>();
  readonly #waiting = new RevisionQueue();
  readonly #newest: NewestRevision;
  /** The values this server is about to write, by key. */
  readonly #own = new Map<string, { value: Uint8Array; selectable: KnownSelectable | undefined }>();
  #revision: Revision = 0;
  #isFollowing = true;
  /** Says that the store has compacted the changes after the revision. */
  #hasGap = false;

  private constructor(options: CacheOptions) {
    this.#options = options;
    this.#newest = new NewestRevision(() => options.store.revision());
  }

  /** Opens the cache with the content of the store; `run` then follows its changes. */
  static async open(options: CacheOptions): Promise<Cache> {
    const cache = new Cache(options);
    await cache.#load();
    return cache;
  }

  /** The revision up to which all changes are in the cache. */
  get revision(): Revision {
    return this.#revision;
  }

  /** Says that changes reach the cache at present. */
  get isFollowing(): boolean {
    return this.#isFollowing;
  }

  /** Returns the collection with this id (`<group>/<resource>`); it may be empty. */
  collection(id: string): Collection {
    let collection = this.#collections.get(id);
    if (collection === undefined) {
      collection = new Collection(id, this.#revision);
      this.#collections.set(id, collection);
    }
    return collection;
  }

  collections(): Iterable<Collection> {
    return this.#collections.values();
  }

  /** Makes an item of a collection from a value stored at some revision. */
  item(place: KeyParts, value: Uint8Array, modified: Revision): Item {
    return itemFromStored(place, value, {
      modified,
      repair: this.#options.repairOf(place.collection),
    });
  }

  /** Announces a value that this server writes, which needs no repair when the watch returns it. */
  expect(key: string, value: Uint8Array, selectable?: KnownSelectable): void {
    this.#own.set(key, { value, selectable });
  }

  /** Withdraws the announcement of a value that was not written. */
  unexpect(key: string): void {
    this.#own.delete(key);
  }

  /** Resolves when everything up to the revision is in the cache. */
  async reached(revision: Revision): Promise<void> {
    if (revision > this.#revision) await this.#waiting.wait(revision);
  }

  /** Resolves when everything that was committed before the call, by anyone, is in the cache. */
  async current(): Promise<void> {
    await this.reached(await this.#newest.get());
  }

  /** Follows the store until the signal aborts, and reconnects when the store was unreachable. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      while (!signal.aborted) await this.#follow(signal);
    } finally {
      this.#waiting.close(unavailable("the server is stopping"));
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { store, log, clock = systemClock } = this.#options;
    try {
      if (this.#hasGap) await this.#reload();
      const after = this.#revision;
      for await (const batch of store.watch(registry, { after, previous: false, signal })) {
        this.#isFollowing = true;
        this.#take(batch);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (isClosed(error)) throw error;
      this.#isFollowing = false;
      log.warn("Cannot follow the store; trying again", { error });
      if (isExpired(error)) this.#hasGap = true;
      else await pause(clock, retryDelay, signal);
    }
  }

  #take(batch: ChangeBatch): void {
    const touched = new Set<Collection>();
    for (const change of batch.changes) {
      const place = parseKey(change.key);
      if (place === undefined) continue;
      this.#guard(change.key, () => touched.add(this.#apply(place, change)));
    }
    this.#revision = batch.revision;
    for (const collection of touched) {
      collection.tell(batch.revision, (error) =>
        this.#options.log.error("Cannot tell of a change", { collection: collection.id, error }),
      );
    }
    this.#waiting.release(batch.revision);
  }

  #apply(place: KeyParts, { type, key, value, modified }: Change): Collection {
    const collection = this.collection(place.collection);
    if (type === "delete") collection.delete(place, modified);
    else {
      const own = this.#ownOf(key, value);
      collection.put(
        own === undefined
          ? this.item(place, value, modified)
          : itemFromStored(place, value, { modified, selectable: own.selectable }),
      );
    }
    return collection;
  }

  /** Skips a stored value that is no object, so that the others are still served. */
  #guard(key: string, read: () => void): void {
    try {
      read();
    } catch (error) {
      this.#options.log.error("Cannot read what is stored", { key, error });
    }
  }

  #ownOf(key: string, value: Uint8Array) {
    const own = this.#own.get(key);
    if (own === undefined) return undefined;
    this.#own.delete(key);
    const isSame = own.value.length === value.length && Buffer.compare(own.value, value) === 0;
    return isSame ? own : undefined;
  }

  /** Loads the store again after a gap; watchers must start anew. */
  async #reload(): Promise<void> {
    const collections = [...this.#collections.values()];
    await this.#load();
    this.#hasGap = false;
    for (const collection of collections) collection.lose();
    this.#waiting.release(this.#revision);
  }

  async #load(): Promise<void> {
    const { store } = this.#options;
    let page = await store.list(registry, { limit: pageSize });
    const { revision } = page;
    const items: [collection: string, item: Item][] = [];
    for (;;) {
      for (const { key, value, modified } of page.entries) {
        const place = parseKey(key);
        if (place === undefined) continue;
        this.#guard(key, () => items.push([place.collection, this.item(place, value, modified)]));
      }
      const last = page.entries.at(-1);
      if (!page.more || last === undefined) break;
      page = await store.list(registry, { limit: pageSize, after: last.key, revision });
    }
    this.#revision = revision;
    for (const collection of this.#collections.values()) collection.clear(revision);
    for (const [id, item] of items) this.collection(id).load(item);
  }
}
