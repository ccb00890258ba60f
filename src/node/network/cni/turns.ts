/** Serialises the work on each container, runs that on several in parallel, and some work alone. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();
  #alone: Promise<unknown> = Promise.resolve();

  on<T>(key: string, work: () => Promise<T>): Promise<T> {
    const { done, ended } = after([this.#last.get(key) ?? this.#alone, this.#alone], work);
    this.#last.set(key, ended);
    void ended.finally(() => {
      if (this.#last.get(key) === ended) this.#last.delete(key);
    });
    return done;
  }

  /** Runs work alone: after all that was requested before, and before all that is requested later. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    const { done, ended } = after([...this.#last.values(), this.#alone], work);
    this.#alone = ended;
    return done;
  }
}

function after<T>(others: readonly Promise<unknown>[], work: () => Promise<T>) {
  const done = Promise.all(others).then(work);
  // The outcome of the previous turn does not matter to the next.
  const ended = done.then(
    () => undefined,
    () => undefined,
  );
  return { done, ended };
}
