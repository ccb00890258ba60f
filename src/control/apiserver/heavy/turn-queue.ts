// A queue in which users take turns: a user with many jobs delays only himself.

export class TurnQueue<Entry> {
  readonly #byUser = new Map<string, Entry[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  sizeOf(user: string): number {
    return this.#byUser.get(user)?.length ?? 0;
  }

  add(user: string, entry: Entry): void {
    const entries = this.#byUser.get(user);
    if (entries === undefined) this.#byUser.set(user, [entry]);
    else entries.push(entry);
    this.#size++;
  }

  /** Removes an entry; returns whether it was still waiting. */
  remove(user: string, entry: Entry): boolean {
    const entries = this.#byUser.get(user) ?? [];
    const index = entries.indexOf(entry);
    if (index < 0) return false;
    entries.splice(index, 1);
    if (entries.length === 0) this.#byUser.delete(user);
    this.#size--;
    return true;
  }

  /** Takes the oldest entry of the user whose turn it is; that user goes to the end of the row. */
  take(): Entry | undefined {
    const [first] = this.#byUser;
    if (first === undefined) return undefined;
    const [user, entries] = first;
    const entry = entries.shift();
    this.#byUser.delete(user);
    if (entries.length > 0) this.#byUser.set(user, entries);
    this.#size--;
    return entry;
  }

  drain(): Entry[] {
    const all = [...this.#byUser.values()].flat();
    this.#byUser.clear();
    this.#size = 0;
    return all;
  }
}
