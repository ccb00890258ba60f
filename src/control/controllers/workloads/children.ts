// Children of owners, read from a cache that is supplemented by our own writes: a controller that decides on
// a cache behind its own writes would create or delete too many.

import { ApiError, isConflict, isNotFound, isUnreachable } from "../../../api/client/errors.ts";
import type { Informer } from "../../../api/client/informer.ts";
import { type Index, ObjectCache } from "../../../api/client/informer.ts";
import { type Draft, keyOf, type MergePatch } from "../../../api/client/objects.ts";
import type { DeleteOptions } from "../../../api/client/options.ts";
import type { ResourceClient } from "../../../api/client/resource-client.ts";
import { timestamp } from "../../../api/fields/timestamp.ts";
import type { Clock } from "../../../base/host/clock.ts";
import { type Namespaced, placeOf } from "./ownership.ts";

interface Pending {
  readonly uid: string;
  readonly version: number;
  readonly isDeleted: boolean;
  /** The time of the write, on the monotonic clock. */
  since: number;
}

/** How long a write may be missing from the cache before the object is read from the API. */
const patienceMs = 10_000;

export interface ChildrenOptions<T extends Namespaced> {
  readonly resource: ResourceClient<T>;
  readonly informer: Informer<T>;
  readonly clock: Clock;
}

export class Children<T extends Namespaced> {
  readonly #options: ChildrenOptions<T>;
  /** The written objects that are newer than those in the cache. */
  readonly #ahead = new ObjectCache<T>();
  readonly #pending = new Map<string, Pending>();
  readonly #keys = new Map<string, string>();
  /** The writes with unknown outcome, by key. */
  readonly #doubts = new Map<string, Namespaced>();

  constructor(options: ChildrenOptions<T>, indexes: readonly Index<T>[]) {
    this.#options = options;
    for (const index of indexes) {
      options.informer.addIndex(index);
      this.#ahead.addIndex(index);
    }
    options.informer.subscribe(
      (uid) => this.#hear(uid),
      ({ metadata }) => [metadata.uid ?? ""],
    );
  }

  get(key: string): T | undefined {
    return this.#ahead.get(key) ?? this.#options.informer.get(key);
  }

  by(index: Index<T>, value: string): T[] {
    const found = this.#options.informer.by(index, value);
    if (this.#ahead.size === 0) return found;
    const settled = found.filter((object) => this.#ahead.get(keyOf(object)) === undefined);
    return [...settled, ...this.#ahead.by(index, value)];
  }

  /** Returns when to call `settle`, if the cache does not show some of these writes yet. */
  patience(index: Index<T>, value: string): number | undefined {
    return this.#ahead.by(index, value).length > 0 ? patienceMs : undefined;
  }

  /**
   * Resolves writes with unknown outcome, and reads the objects whose writes the cache should have shown by
   * now.
   */
  async settle(index: Index<T>, value: string, signal: AbortSignal): Promise<void> {
    const overdue = this.#options.clock.monotonic() - patienceMs;
    const late = this.#ahead
      .by(index, value)
      .filter((object) => (this.#pending.get(keyOf(object))?.since ?? 0) <= overdue);
    const doubtful = [...this.#doubts.values()].filter((object) =>
      // A draft has all fields that indexes read.
      index(object as T).includes(value),
    );
    for (const object of [...late, ...doubtful]) await this.#ask(object, signal);
  }

  /**
   * Creates an object. The draft must have a name, since only so can it be found out later whether it was
   * created.
   */
  async create(draft: Draft<T> & Pick<T, "metadata">, signal: AbortSignal): Promise<T> {
    return await this.#write(draft as Namespaced, () =>
      this.#options.resource.create(draft, { signal }),
    );
  }

  /** Updates an object, unless somebody else has written since. */
  async update(object: T, signal: AbortSignal): Promise<T> {
    return await this.#write(object, () => this.#options.resource.update(object, { signal }));
  }

  async updateStatus(object: T, signal: AbortSignal): Promise<T> {
    return await this.#write(object, () => this.#options.resource.updateStatus(object, { signal }));
  }

  /** Changes metadata, unless somebody else has written since. */
  async patchMetadata(object: T, metadata: object, signal: AbortSignal): Promise<T> {
    const { uid, resourceVersion } = object.metadata;
    const merge = { metadata: { uid, resourceVersion, ...metadata } } as MergePatch<T>;
    return await this.#write(object, () =>
      this.#options.resource.patch(placeOf(object), { merge }, { signal }),
    );
  }

  /** Deletes this object, not another one of the same name. If it is gone already, that counts as deleted. */
  async delete(object: T, options: DeleteOptions): Promise<void> {
    const { uid = "" } = object.metadata;
    try {
      await this.#options.resource.delete(placeOf(object), {
        ...options,
        preconditions: { uid, ...options.preconditions },
      });
    } catch (error) {
      if (isUncertain(error)) this.#doubts.set(keyOf(object), object);
      if (!isNotFound(error) && !isConflict(error)) throw error;
      if (options.preconditions?.resourceVersion !== undefined && isConflict(error)) throw error;
    }
    this.#markDeleted(object);
  }

  async #write(object: Namespaced, write: () => Promise<T>): Promise<T> {
    try {
      const written = await write();
      this.#remember(written);
      return written;
    } catch (error) {
      if (isUncertain(error)) this.#doubts.set(keyOf(object), object);
      throw error;
    }
  }

  async #ask(object: Namespaced, signal: AbortSignal): Promise<void> {
    const key = keyOf(object);
    try {
      const found = await this.#options.resource.get(placeOf(object as T), { signal });
      this.#doubts.delete(key);
      this.#forget(key);
      this.#remember(found);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      this.#doubts.delete(key);
      this.#forget(key);
      // The cache may still have the object; the watch will report its deletion.
      if (this.#options.informer.get(key)?.metadata.uid === object.metadata.uid) {
        this.#markDeleted(object as T);
      }
    }
  }

  #remember(object: T): void {
    this.#keep(object, { version: versionOf(object), isDeleted: false });
  }

  #markDeleted(object: T): void {
    const known = this.get(keyOf(object));
    // An object that is unknown to the cache and to us need not be waited for.
    if (known === undefined || known.metadata.uid !== object.metadata.uid) return;
    const newest = versionOf(known) > versionOf(object) ? known : object;
    const { deletionTimestamp = timestamp(this.#options.clock.now()) } = newest.metadata;
    const metadata = { ...newest.metadata, deletionTimestamp };
    this.#keep({ ...newest, metadata }, { version: versionOf(newest), isDeleted: true });
  }

  #keep(object: T, { version, isDeleted }: Pick<Pending, "version" | "isDeleted">): void {
    const key = keyOf(object);
    const { uid = "" } = object.metadata;
    const before = this.#pending.get(key);
    const wasDeleted = before?.uid === uid && before.isDeleted;
    const since = this.#options.clock.monotonic();
    this.#ahead.put(key, object);
    this.#pending.set(key, { uid, version, isDeleted: isDeleted || wasDeleted, since });
    this.#keys.set(uid, key);
    // The watch may have been quicker than the response.
    if (this.#isConfirmed(key)) this.#forget(key);
  }

  #hear(uid: string): void {
    const key = this.#keys.get(uid);
    if (key === undefined) return;
    const cached = this.#options.informer.get(key);
    if (cached?.metadata.uid !== uid || this.#isConfirmed(key)) this.#forget(key);
    else if (this.#pending.get(key)?.isDeleted === true) this.#markDeleted(cached);
  }

  #isConfirmed(key: string): boolean {
    const pending = this.#pending.get(key);
    const cached = this.#options.informer.get(key);
    if (pending === undefined) return true;
    if (cached?.metadata.uid !== pending.uid) return false;
    return pending.isDeleted
      ? cached.metadata.deletionTimestamp !== undefined
      : versionOf(cached) >= pending.version;
  }

  #forget(key: string): void {
    this.#keys.delete(this.#pending.get(key)?.uid ?? "");
    this.#pending.delete(key);
    this.#ahead.delete(key);
  }
}

/** Whether a failed request may have been executed nevertheless. */
function isUncertain(error: unknown): boolean {
  if (!(error instanceof ApiError)) return true;
  return !isUnreachable(error) && (error.code === 0 || error.code >= 500);
}

function versionOf({ metadata }: Namespaced): number {
  return Number(metadata.resourceVersion ?? 0);
}
