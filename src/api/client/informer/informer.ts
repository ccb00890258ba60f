// An informer: the objects of a kind, cached in memory, with notifications of changes.

import type { Clock } from "../../../base/host/clock.ts";
import type { Random } from "../../../base/host/random.ts";
import type { Log } from "../../../base/program/log.ts";
import type { Registry } from "../../../base/program/metrics.ts";
import { type ClientMetrics, clientMetrics } from "../metrics.ts";
import { type ApiObject, keyOf } from "../objects.ts";
import type { Selection } from "../options.ts";
import type { ResourceClient } from "../resource-client.ts";
import { Follow, type Follower } from "./follow.ts";
import { type Index, ObjectCache } from "./object-cache.ts";

export interface InformerOptions<T> extends Selection {
  readonly indexes?: readonly Index<T>[];
  /** Slims each object to what is kept. Without it everything but managedFields, which are bulky. */
  readonly transform?: ((object: T) => T) | undefined;
  /** The way to read existing objects: by a list, or by the watch itself where the server supports that. */
  readonly initial?: "list" | "stream";
  /** Called with the error of every failed try to follow, and without one when a watch has begun. */
  readonly onTry?: ((failure?: unknown) => void) | undefined;
}

export interface InformerSettings {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics?: Registry | undefined;
}

/** A source of keys for controllers. */
export interface KeySource {
  readonly synced: Promise<void>;
  /** Calls `add` for existing objects and for every change; the function returned unsubscribes. */
  subscribe(add: (key: string) => void): () => void;
}

export class Informer<T extends ApiObject> implements KeySource {
  readonly #resource: ResourceClient<T>;
  readonly #options: InformerOptions<T>;
  readonly #settings: InformerSettings;
  readonly #metrics: InformerMetrics | undefined;
  readonly #log: Log;
  readonly #cache = new ObjectCache<T>();
  readonly #subscribers = new Set<Subscriber<T>>();
  readonly #synced = Promise.withResolvers<void>();
  #isSynced = false;

  constructor(
    resource: ResourceClient<T>,
    options: InformerOptions<T>,
    settings: InformerSettings,
  ) {
    this.#resource = resource;
    this.#options = options;
    this.#settings = settings;
    this.#metrics = settings.metrics && metricsOf(clientMetrics(settings.metrics), this.name);
    this.#log = settings.log.child({ resource: this.name });
    for (const index of options.indexes ?? []) this.#cache.addIndex(index);
  }

  /** The name: the resource and its selection. */
  get name(): string {
    const { namespace, labelSelector, fieldSelector } = this.#options;
    const { plural } = this.#resource.definition;
    return [plural, namespace, labelSelector, fieldSelector].filter(Boolean).join(" ");
  }

  /** Resolves when all objects that existed at the start are cached. */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  get isSynced(): boolean {
    return this.#isSynced;
  }

  get size(): number {
    return this.#cache.size;
  }

  /** The cached object, shared and not to be changed, like those of `list` and `by`. */
  get(key: string): T | undefined {
    return this.#cache.get(key);
  }

  list(): T[] {
    return [...this.#cache.values()];
  }

  /** The objects for which the index has this value. */
  by(index: Index<T>, value: string): T[] {
    return this.#cache.by(index, value);
  }

  addIndex(index: Index<T>): void {
    this.#cache.addIndex(index);
  }

  /**
   * Subscribes to changes: `add` is called once for each key at each change; `keysOf` maps an object to keys,
   * if not its own, and is called with the object before and after. Slow work belongs behind a queue.
   */
  subscribe(
    add: (key: string) => void,
    keysOf: (object: T) => Iterable<string> = ownKey,
  ): () => void {
    const subscriber = { add, keysOf };
    this.#subscribers.add(subscriber);
    for (const object of this.#cache.values()) this.#tell([subscriber], undefined, object);
    return () => this.#subscribers.delete(subscriber);
  }

  /** The same changes under other keys: those of an owner, for example. */
  mapped(keysOf: (object: T) => Iterable<string>): KeySource {
    return { synced: this.synced, subscribe: (add) => this.subscribe(add, keysOf) };
  }

  async run(signal: AbortSignal): Promise<void> {
    const { namespace, labelSelector, fieldSelector, initial = "list", onTry } = this.#options;
    const follow = new Follow(this.#resource, this.#follower(), {
      ...this.#settings,
      log: this.#log,
      selection: { namespace, labelSelector, fieldSelector },
      stream: initial === "stream",
      onTry,
    });
    await follow.run(signal);
  }

  /** Applies what is listed and watched to the cache, and reports actual changes. */
  #follower(): Follower<T> {
    const { transform = withoutManagedFields } = this.#options;
    let seen: Set<string> | undefined;
    return {
      begin: () => {
        this.#metrics?.lists.increment();
        seen = new Set();
      },
      put: (object) => {
        const key = keyOf(object);
        seen?.add(key);
        const before = this.#cache.get(key);
        if (before !== undefined && isSameVersion(before, object)) return;
        this.#change(key, before, transform(object));
      },
      remove: (object) => {
        const key = keyOf(object);
        seen?.delete(key);
        const before = this.#cache.get(key);
        if (before !== undefined) this.#change(key, before, undefined);
      },
      finish: () => {
        for (const key of this.#cache.keys()) {
          if (seen?.has(key) === false) this.#change(key, this.#cache.get(key), undefined);
        }
        seen = undefined;
        this.#isSynced = true;
        this.#synced.resolve();
      },
      watching: () => this.#metrics?.watches.increment(),
    };
  }

  #change(key: string, before: T | undefined, after: T | undefined): void {
    if (after === undefined) this.#cache.delete(key);
    else this.#cache.put(key, after);
    this.#metrics?.objects.set(this.#cache.size);
    this.#tell(this.#subscribers, before, after);
  }

  #tell(subscribers: Iterable<Subscriber<T>>, before: T | undefined, after: T | undefined): void {
    for (const { add, keysOf } of subscribers) {
      try {
        const keys = new Set<string>();
        if (before !== undefined) for (const key of keysOf(before)) keys.add(key);
        if (after !== undefined) for (const key of keysOf(after)) keys.add(key);
        for (const key of keys) add(key);
      } catch (error) {
        // A subscriber that throws must not keep the others from being notified.
        this.#log.error("Cannot pass on a change", { error });
      }
    }
  }
}

interface Subscriber<T> {
  readonly add: (key: string) => void;
  readonly keysOf: (object: T) => Iterable<string>;
}

type InformerMetrics = ReturnType<typeof metricsOf>;

function metricsOf(metrics: ClientMetrics, name: string) {
  return {
    objects: metrics.informerObjects.with(name),
    lists: metrics.informerLists.with(name),
    watches: metrics.informerWatches.with(name),
  };
}

function ownKey(object: ApiObject): readonly string[] {
  return [keyOf(object)];
}

function isSameVersion(a: ApiObject, b: ApiObject): boolean {
  return (
    a.metadata.resourceVersion === b.metadata.resourceVersion && a.metadata.uid === b.metadata.uid
  );
}

function withoutManagedFields<T extends ApiObject>(object: T): T {
  delete object.metadata.managedFields;
  return object;
}
