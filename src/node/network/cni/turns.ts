/** Lets work on one container happen one after the other, on several side by side, and some alone. */
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

  /** After all that was asked for before, and before all that is asked for later. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    const { done, ended } = after([...this.#last.values(), this.#alone], work);
    this.#alone = ended;
    return done;
  }
}

function after<T>(others: readonly Promise<unknown>[], work: () => Promise<T>) {
  const done = Promise.all(others).then(work);
  // Whoever waits for a turn does not care how the one before went.
  const ended = done.then(
    () => undefined,
    () => undefined,
  );
  return { done, ended };
}
