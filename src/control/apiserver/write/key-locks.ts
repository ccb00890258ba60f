// Locks by key: writers of the same object take turns, since of those that try at once all but one would have
// to start over.

export class KeyLocks {
  readonly #last = new Map<string, Promise<void>>();

  /** Runs the work when all earlier work for the key has finished. */
  async with<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(key);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last.set(key, promise);
    try {
      if (before !== undefined) await before;
      return await work();
    } finally {
      resolve();
      if (this.#last.get(key) === promise) this.#last.delete(key);
    }
  }
}
