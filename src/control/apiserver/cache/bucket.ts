// The items of one namespace, by name and in order. The ordered list is never changed in place:
// whoever holds one holds a snapshot.
import type { Item } from "./item.ts";

/** The number of names that are put in order at once, so that no turn sorts a whole namespace. */
const mostChanged = 5_000;

export class Bucket {
  readonly namespace: string;
  readonly #items = new Map<string, Item>();
  /** The names whose place in the ordered list is not up to date. */
  readonly #changed = new Set<string>();
  #sorted: readonly Item[] = [];
  /** The items that came in order after all others, as the store tells them at the start; nobody holds this list. */
  #appended: Item[] = [];

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
    const { name } = item;
    const last = this.#appended.at(-1) ?? this.#sorted.at(-1);
    this.#items.set(name, item);
    if (this.#changed.size === 0 && (last === undefined || last.name < name)) {
      this.#appended.push(item);
    } else this.#note(name);
  }

  delete(name: string): void {
    this.#items.delete(name);
    this.#note(name);
  }

  sorted(): readonly Item[] {
    if (this.#appended.length > 0) {
      this.#sorted = [...this.#sorted, ...this.#appended];
      this.#appended = [];
    }
    if (this.#changed.size > 0) {
      this.#sorted = this.#merge([...this.#changed].toSorted());
      this.#changed.clear();
    }
    return this.#sorted;
  }

  #note(name: string): void {
    this.#changed.add(name);
    // The list is updated now and then: names that come and go would pile up where nobody lists.
    if (this.#changed.size > mostChanged) this.sorted();
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
