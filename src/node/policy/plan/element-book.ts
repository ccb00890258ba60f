// The elements that a table must have, by set and key, and their changes since they were last taken.

export interface ElementChange {
  readonly set: string;
  readonly key: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** The value of an element of a set, rather than of a map. */
export const present = "";

export class ElementBook {
  readonly #sets = new Map<string, Map<string, string>>();
  /** The earlier values of changed elements, as of when changes were last taken. */
  #before = new Map<string, Map<string, string | undefined>>();
  /** Whether changes have never been taken, so that all elements are changes. */
  #isNew = true;

  get(set: string, key: string): string | undefined {
    return this.#sets.get(set)?.get(key);
  }

  /** Yields every element, as an addition. */
  *all(): Generator<ElementChange> {
    for (const [set, elements] of this.#sets) {
      for (const [key, after] of elements) yield { set, key, before: undefined, after };
    }
  }

  get size(): number {
    return [...this.#sets.values()].reduce((sum, elements) => sum + elements.size, 0);
  }

  /** The sets that have elements. */
  get used(): readonly string[] {
    return [...this.#sets].flatMap(([set, { size }]) => (size > 0 ? [set] : []));
  }

  /** Sets the value of an element; `undefined` removes it. */
  put(set: string, key: string, value: string | undefined): void {
    const elements = this.#elements(set);
    const old = elements.get(key);
    if (old === value) return;
    if (!this.#isNew) this.#remember(set, key, old);
    if (value === undefined) elements.delete(key);
    else elements.set(key, value);
  }

  takeChanges(): readonly ElementChange[] {
    if (this.#isNew) {
      this.#isNew = false;
      return [...this.all()];
    }
    const changes: ElementChange[] = [];
    for (const [set, touched] of this.#before) {
      for (const [key, before] of touched) {
        const after = this.get(set, key);
        if (after !== before) changes.push({ set, key, before, after });
      }
    }
    this.#before = new Map();
    return changes;
  }

  #remember(set: string, key: string, value: string | undefined): void {
    const touched = this.#before.get(set) ?? new Map<string, string | undefined>();
    this.#before.set(set, touched);
    if (!touched.has(key)) touched.set(key, value);
  }

  #elements(set: string): Map<string, string> {
    const found = this.#sets.get(set);
    if (found !== undefined) return found;
    const made = new Map<string, string>();
    this.#sets.set(set, made);
    return made;
  }
}
