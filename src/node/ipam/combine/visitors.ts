type State = "there" | "gone";

/** Counts the calls being served, and tells when there is one and when there is none left. */
export class Visitors {
  #present = 0;
  #total = 0;
  #onState: Partial<Record<State, () => void>> = {};

  get present(): number {
    return this.#present;
  }

  /** The number of calls so far. */
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

  /** Resolves as soon as there is a call ("there") or none is left ("gone"), or when the time is up. */
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
