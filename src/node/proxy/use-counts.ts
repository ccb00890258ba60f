/** Counts how many users each key has. */
export class UseCounts<K> {
  readonly #counts = new Map<K, number>();
  /** The keys that were touched since changes were last taken, and whether each was in use then. */
  readonly #before = new Map<K, boolean>();

  get keys(): readonly K[] {
    return [...this.#counts.keys()];
  }

  add(key: K): void {
    const count = this.#counts.get(key) ?? 0;
    if (count === 0) this.#touch(key, false);
    this.#counts.set(key, count + 1);
  }

  remove(key: K): void {
    const count = this.#counts.get(key) ?? 0;
    if (count > 1) this.#counts.set(key, count - 1);
    else if (this.#counts.delete(key)) this.#touch(key, true);
  }

  /** Returns the keys that came into use, and those that fell out of use, since the last call. */
  takeChanges(): { readonly begun: readonly K[]; readonly ended: readonly K[] } {
    const begun: K[] = [];
    const ended: K[] = [];
    for (const [key, wasUsed] of this.#before) {
      if (this.#counts.has(key) !== wasUsed) (wasUsed ? ended : begun).push(key);
    }
    this.#before.clear();
    return { begun, ended };
  }

  #touch(key: K, wasUsed: boolean): void {
    if (!this.#before.has(key)) this.#before.set(key, wasUsed);
  }
}
