type State = "there" | "gone";

/** Counts who is being served, and tells when somebody is there and when nobody is left. */
export class Visitors {
  #present = 0;
  #total = 0;
  #onState: Partial<Record<State, () => void>> = {};

  get present(): number {
    return this.#present;
  }

  /** All that ever came. */
  get total(): number {
    return this.#total;
  }

  async receive<T>(serve: () => Promise<T>): Promise<T> {
    this.#total++;
    if (++this.#present === 1) this.#onState.there?.();
    try {
      return await serve();
    } finally {
      if (--this.#present === 0) this.#onState.gone?.();
    }
  }

  /** Resolves as soon as somebody is there, or nobody; or when the time is up. */
  async until(state: State, milliseconds: number): Promise<void> {
    if (this.#present > 0 === (state === "there")) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#onState[state] = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
