import type { ApiObject } from "../objects.ts";

/** An index: the values by which an object is found. Known by identity: keep the registered function. */
export type Index<T> = (object: T) => readonly string[];

/** A cache of objects by key, and by the values of indexes. */
export class ObjectCache<T extends ApiObject> {
  readonly #objects = new Map<string, T>();
  readonly #indexes = new Map<Index<T>, Map<string, Set<string>>>();

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  keys(): Iterable<string> {
    return this.#objects.keys();
  }

  values(): Iterable<T> {
    return this.#objects.values();
  }

  addIndex(index: Index<T>): void {
    if (this.#indexes.has(index)) return;
    const keysByValue = new Map<string, Set<string>>();
    this.#indexes.set(index, keysByValue);
    for (const [key, object] of this.#objects) enter(keysByValue, index(object), key);
  }

  by(index: Index<T>, value: string): T[] {
    const keysByValue = this.#indexes.get(index);
    if (keysByValue === undefined) {
      throw new Error(`Cannot look objects up by "${value}": the index is not registered`);
    }
    const found: T[] = [];
    for (const key of keysByValue.get(value) ?? []) {
      const object = this.#objects.get(key);
      if (object !== undefined) found.push(object);
    }
    return found;
  }

  put(key: string, object: T): void {
    const before = this.#objects.get(key);
    this.#objects.set(key, object);
    for (const [index, keysByValue] of this.#indexes) {
      if (before !== undefined) leave(keysByValue, index(before), key);
      enter(keysByValue, index(object), key);
    }
  }

  delete(key: string): void {
    const before = this.#objects.get(key);
    if (before === undefined) return;
    this.#objects.delete(key);
    for (const [index, keysByValue] of this.#indexes) leave(keysByValue, index(before), key);
  }
}

function enter(keysByValue: Map<string, Set<string>>, values: readonly string[], key: string) {
  for (const value of values) {
    const keys = keysByValue.get(value);
    if (keys === undefined) keysByValue.set(value, new Set([key]));
    else keys.add(key);
  }
}

function leave(keysByValue: Map<string, Set<string>>, values: readonly string[], key: string) {
  for (const value of values) {
    const keys = keysByValue.get(value);
    keys?.delete(key);
    if (keys?.size === 0) keysByValue.delete(value);
  }
}
