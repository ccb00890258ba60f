// The newest state of everything in the store, kept current by one watch.
import type { Change, ChangeBatch, Revision, Store } from "../../store/port.ts";
import { type KeyParts, parseKey, registry } from "../keys.ts";
import { Collection } from "./collection.ts";
import { itemFromStored } from "./item.ts";
import { RevisionQueue } from "./revision-queue.ts";

const pageSize = 2000;

export class Cache {
  readonly #store: Store;
  readonly #collections = new Map<string, Collection>();
  readonly #waiting = new RevisionQueue();
  #revision: Revision = 0;
  #asking: Promise<Revision> | undefined;

  private constructor(store: Store) {
    this.#store = store;
  }

  /** Reads the store; `run` then follows it. */
  static async open(store: Store): Promise<Cache> {
    const cache = new Cache(store);
    await cache.#load();
    return cache;
  }

  /** Everything up to here is in the cache. */
  get revision(): Revision {
    return this.#revision;
  }

  /** The collection with this id (`<group>/<resource>`), empty when nothing of it was ever stored. */
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

  /** Resolves when everything up to the revision is in the cache. */
  async reached(revision: Revision): Promise<void> {
    if (revision > this.#revision) await this.#waiting.wait(revision);
  }

  /** Resolves when everything that was committed before the call, by anyone, is in the cache. */
  async current(): Promise<void> {
    // One question serves all that come before it is put; it must not be older than they are.
    this.#asking ??= Promise.resolve().then(() => {
      this.#asking = undefined;
      return this.#store.revision();
    });
    await this.reached(await this.#asking);
  }

  /** Ends when the signal aborts; throws when the store cannot be followed any further. */
  async run(signal: AbortSignal): Promise<void> {
    for await (const batch of this.#store.watch(registry, { after: this.#revision, signal })) {
      this.#take(batch);
    }
  }

  #take(batch: ChangeBatch): void {
    const touched = new Set<Collection>();
    for (const change of batch.changes) {
      const place = parseKey(change.key);
      if (place !== undefined) touched.add(this.#apply(place, change));
    }
    this.#revision = batch.revision;
    for (const collection of touched) collection.tell(batch.revision);
    this.#waiting.release(batch.revision);
  }

  #apply(place: KeyParts, change: Change): Collection {
    const collection = this.collection(place.collection);
    if (change.type === "put") {
      collection.put(itemFromStored(place, change.value, change.modified));
    } else {
      collection.delete(place, change.modified);
    }
    return collection;
  }

  async #load(): Promise<void> {
    let page = await this.#store.list(registry, { limit: pageSize });
    this.#revision = page.revision;
    for (;;) {
      for (const entry of page.entries) {
        const place = parseKey(entry.key);
        if (place === undefined) continue;
        this.collection(place.collection).load(itemFromStored(place, entry.value, entry.modified));
      }
      const last = page.entries.at(-1);
      if (!page.more || last === undefined) return;
      page = await this.#store.list(registry, {
        limit: pageSize,
        after: last.key,
        revision: this.#revision,
      });
    }
  }
}
