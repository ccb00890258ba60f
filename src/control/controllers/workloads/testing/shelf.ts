// Objects of one kind as a server stores them, and as a lagging watcher sees them.

import type { Namespaced } from "../ownership.ts";

export class Shelf<T extends Namespaced> {
  readonly #stored = new Map<string, T>();
  readonly #seen = new Map<string, T>();
  #version = 0;
  #uids = 0;

  /** The stored objects. */
  get all(): T[] {
    return [...this.#stored.values()];
  }

  /** The objects as the watcher sees them: its own writes at once, those of others late. */
  get seen(): T[] {
    return [...this.#seen.values()];
  }

  create(object: T, now: number): T {
    const { name } = object.metadata;
    if (this.#stored.has(name)) throw new Error(`Cannot create ${name}: it is there`);
    const creationTimestamp = new Date(now).toISOString();
    const uid = `${object.kind}-${++this.#uids}`;
    const metadata = { ...object.metadata, uid, creationTimestamp, generation: 1 };
    return this.#put({ ...object, metadata }, true);
  }

  /** Updates an object as the watcher; returns whether it had the newest version. */
  update(object: T, { isStatus = false } = {}): boolean {
    const before = this.#stored.get(object.metadata.name);
    if (before?.metadata.resourceVersion !== object.metadata.resourceVersion) return false;
    const generation = (before?.metadata.generation ?? 0) + (isStatus ? 0 : 1);
    this.#put({ ...object, metadata: { ...object.metadata, generation } }, true);
    return true;
  }

  /** Changes an object as another writer. */
  change(object: T): void {
    if (this.#stored.has(object.metadata.name)) this.#put(object, false);
  }

  /** Deletes an object as the watcher. */
  delete(object: T): void {
    this.#stored.delete(object.metadata.name);
    this.#seen.delete(object.metadata.name);
  }

  /** Delivers one change, or all, to the watcher. */
  hear(which?: number): void {
    const names = [...new Set([...this.#stored.keys(), ...this.#seen.keys()])];
    const chosen = which === undefined ? names : names.slice(which % names.length).slice(0, 1);
    for (const name of chosen) {
      const stored = this.#stored.get(name);
      if (stored === undefined) this.#seen.delete(name);
      else this.#seen.set(name, stored);
    }
  }

  #put(object: T, isOwn: boolean): T {
    const metadata = { ...object.metadata, resourceVersion: String(++this.#version) };
    const stored = { ...object, metadata };
    this.#stored.set(metadata.name, stored);
    if (isOwn) this.#seen.set(metadata.name, stored);
    return stored;
  }
}
