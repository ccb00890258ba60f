// The pods that claim each address. The latest holds it: an address may be given to a new pod before the end of
// its last one is heard of.

const none: readonly string[] = [];

export class Holders {
  readonly #latest = new Map<string, string>();
  /** The earlier holders of the few addresses that have several, the latest last. */
  readonly #earlier = new Map<string, readonly string[]>();

  /** Returns the key of the pod that has an address. */
  of(address: string): string | undefined {
    return this.#latest.get(address);
  }

  /** Returns the pods that claim an address, but do not have it. */
  othersOf(address: string): readonly string[] {
    return this.#earlier.get(address) ?? none;
  }

  add(address: string, key: string): void {
    const before = this.#latest.get(address);
    if (before === key) return;
    this.#latest.set(address, key);
    if (before !== undefined) this.#earlier.set(address, [...this.othersOf(address), before]);
  }

  remove(address: string, key: string): void {
    const rest = this.othersOf(address).filter((one) => one !== key);
    if (this.#latest.get(address) === key) {
      const next = rest.at(-1);
      if (next === undefined) this.#latest.delete(address);
      else this.#latest.set(address, next);
      this.#setEarlier(address, rest.slice(0, -1));
    } else this.#setEarlier(address, rest);
  }

  #setEarlier(address: string, keys: readonly string[]): void {
    if (keys.length === 0) this.#earlier.delete(address);
    else this.#earlier.set(address, keys);
  }
}
