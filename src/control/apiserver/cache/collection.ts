// A collection: all objects of one resource, their latest changes, and the subscribers to further ones.
import type { Revision } from "../../store/store.ts";
import { Bucket } from "./bucket.ts";
import { type CacheEvent, History } from "./history.ts";
import type { Item, Place } from "./item.ts";
import { KeyedSubscribers } from "./keyed-subscribers.ts";

export interface Subscriber {
  /** Receives changes in revision order; everything up to `revision` has been delivered. */
  changed(events: readonly CacheEvent[], revision: Revision): void;
  /** Learns that changes may have been missed: watchers must start anew. */
  lost(): void;
}

export class Collection {
  readonly id: string;
  history: History;
  readonly subscribers = new Set<Subscriber>();
  /** The subscribers that hear only of items with one value of a field. */
  readonly keyed = new KeyedSubscribers<Subscriber>();
  readonly #buckets = new Map<string, Bucket>();
  #size = 0;
  #version = 0;
  /** All items in order, cached until the next change. */
  #all: readonly Item[] | undefined;
  #told: CacheEvent[] = [];

  constructor(id: string, complete: Revision) {
    this.id = id;
    this.history = new History(complete);
  }

  /** A number that grows with every change. */
  get version(): number {
    return this.#version;
  }

  get size(): number {
    return this.#size;
  }

  get(namespace: string, name: string): Item | undefined {
    return this.#buckets.get(namespace)?.get(name);
  }

  /** Returns a snapshot in key order, of one namespace or of all. */
  list(namespace?: string): readonly Item[] {
    if (namespace !== undefined) return this.#buckets.get(namespace)?.sorted() ?? [];
    if (this.#all === undefined) {
      const buckets = [...this.#buckets.values()].toSorted((a, b) =>
        keyOrder(a.namespace) < keyOrder(b.namespace) ? -1 : 1,
      );
      this.#all = buckets.length === 1 ? buckets[0]?.sorted() : buckets.flatMap((b) => b.sorted());
    }
    return this.#all ?? [];
  }

  /** Puts an item; subscribers learn of it at the next `tell`. */
  put(item: Item): void {
    const bucket = this.#bucket(item.namespace);
    const previous = bucket.get(item.name);
    if (previous === undefined) this.#size++;
    bucket.set(item);
    this.#note({
      type: previous === undefined ? "ADDED" : "MODIFIED",
      revision: item.modified,
      item,
      previous,
    });
  }

  delete(place: Place, revision: Revision): void {
    const bucket = this.#buckets.get(place.namespace);
    const previous = bucket?.get(place.name);
    if (bucket === undefined || previous === undefined) return;
    bucket.delete(place.name);
    this.#size--;
    if (bucket.size === 0) this.#buckets.delete(place.namespace);
    this.#note({ type: "DELETED", revision, item: previous.at(revision), previous });
  }

  /** Forgets everything, before the collection is loaded again. */
  clear(complete: Revision): void {
    this.#version++;
    this.#buckets.clear();
    this.#size = 0;
    this.#all = undefined;
    this.#told = [];
    this.history = new History(complete);
  }

  /** Tells subscribers that changes may have been missed. */
  lose(): void {
    for (const subscriber of this.subscribers) subscriber.lost();
    for (const subscriber of this.keyed.all()) subscriber.lost();
  }

  /** Adds an item that the store held when the cache was loaded. */
  load(item: Item): void {
    this.#bucket(item.namespace).set(item);
    this.#size++;
    this.#all = undefined;
  }

  /** Delivers the changes since the last call to subscribers. One that fails does not affect the others. */
  tell(revision: Revision, onFailure: (error: unknown) => void): void {
    const events = this.#told;
    if (events.length === 0) return;
    this.#told = [];
    const deliver = (subscriber: Subscriber, own: readonly CacheEvent[]): void => {
      try {
        subscriber.changed(own, revision);
      } catch (error) {
        onFailure(error);
        subscriber.lost();
      }
    };
    for (const subscriber of this.subscribers) deliver(subscriber, events);
    for (const [subscriber, own] of this.keyed.concerned(events)) deliver(subscriber, own);
  }

  #note(event: CacheEvent): void {
    this.#version++;
    this.#all = undefined;
    this.#told.push(event);
    this.history.add(event);
  }

  #bucket(namespace: string): Bucket {
    let bucket = this.#buckets.get(namespace);
    if (bucket === undefined) {
      bucket = new Bucket(namespace);
      this.#buckets.set(namespace, bucket);
    }
    return bucket;
  }
}

/** Returns the sort key of a namespace: it ends in the slash of the key, which sorts after a dash. */
function keyOrder(namespace: string): string {
  return `${namespace}/`;
}
