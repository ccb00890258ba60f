// The items of one namespace, by name and in order. The ordered list is never changed in place:
// whoever holds one holds a snapshot.
import type { Item } from "./item.ts";

export class Bucket {
  readonly namespace: string;
  readonly #items = new Map<string, Item>();
  /** The names whose place in the ordered list is not up to date. */
  readonly #changed = new Set<string>();
  #sorted: readonly Item[] = [];

  constructor(namespace: string) {
    this.namespace = namespace;
  }

  get size(): number {
    return this.#items.size;
  }

  get(name: string): Item | undefined {
    return this.#items.get(name);
  }

  set(item: Item): void {
    this.#items.set(item.name, item);
    this.#note(item.name);
  }

  delete(name: string): void {
    this.#items.delete(name);
    this.#note(name);
  }

  sorted(): readonly Item[] {
    if (this.#changed.size > 0) {
      this.#sorted = this.#merge([...this.#changed].toSorted());
      this.#changed.clear();
    }
    return this.#sorted;
  }

  #note(name: string): void {
    this.#changed.add(name);
    // The list is updated now and then, or names that come and go would pile up where nobody lists.
    if (this.#changed.size > 2 * this.#items.size + 1000) this.sorted();
  }

  #merge(names: readonly string[]): Item[] {
    const merged: Item[] = [];
    let index = 0;
    const old = this.#sorted;
    for (const name of names) {
      while (index < old.length && (old[index] as Item).name < name)
        merged.push(old[index++] as Item);
      if (old[index]?.name === name) index++;
      const item = this.#items.get(name);
      if (item !== undefined) merged.push(item);
    }
    while (index < old.length) merged.push(old[index++] as Item);
    return merged;
  }
}
