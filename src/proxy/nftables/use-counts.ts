/** Counts how many use a thing. */
export class UseCounts<K> {
  readonly #counts = new Map<K, number>();

  get keys(): readonly K[] {
    return [...this.#counts.keys()];
  }

  /** Tells whether this is the first use. */
  add(key: K): boolean {
    const count = this.#counts.get(key) ?? 0;
    this.#counts.set(key, count + 1);
    return count === 0;
  }

  /** Tells whether this was the last use. */
  remove(key: K): boolean {
    const count = this.#counts.get(key) ?? 0;
    if (count > 1) {
      this.#counts.set(key, count - 1);
      return false;
    }
    return this.#counts.delete(key);
  }
}
