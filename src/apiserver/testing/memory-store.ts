// A store that forgets everything when the process ends: the port's contract without a disk.
import type {
  Change,
  ChangeBatch,
  Committed,
  Entry,
  ListOptions,
  Page,
  Revision,
  Store,
  Transaction,
  WatchOptions,
} from "../../store/port.ts";

export class MemoryStore implements Store {
  readonly #entries = new Map<string, Entry>();
  readonly #history: Change[] = [];
  readonly #wake = new Set<() => void>();
  #revision: Revision = 1;

  get(key: string): Promise<Entry | undefined> {
    return Promise.resolve(this.#entries.get(key));
  }

  list(prefix: string, options: ListOptions = {}): Promise<Page> {
    const revision = options.revision ?? this.#revision;
    const state = revision === this.#revision ? this.#entries : this.#stateAt(revision);
    const all = [...state.values()]
      .filter(({ key }) => key.startsWith(prefix) && key > (options.after ?? ""))
      .toSorted((a, b) => (a.key < b.key ? -1 : 1));
    const entries = all.slice(0, options.limit);
    const remaining = all.length - entries.length;
    return Promise.resolve({ entries, revision, more: remaining > 0, remaining });
  }

  commit({ compare, operations }: Transaction): Promise<Committed> {
    const holds = compare.every(
      ({ key, modified }) => (this.#entries.get(key)?.modified ?? 0) === modified,
    );
    if (!holds) return Promise.resolve({ ok: false, revision: this.#revision });
    const modified = ++this.#revision;
    for (const operation of operations) {
      const previous = this.#entries.get(operation.key);
      if (operation.type === "put") {
        const created = previous?.created ?? modified;
        const entry = { key: operation.key, value: operation.value, created, modified };
        this.#entries.set(operation.key, entry);
        this.#history.push({ type: "put", ...entry, ...(previous && { previous }) });
      } else if (previous !== undefined) {
        this.#entries.delete(operation.key);
        this.#history.push({ type: "delete", ...previous, modified, previous });
      }
    }
    for (const wake of this.#wake) wake();
    return Promise.resolve({ ok: true, revision: modified });
  }

  async *watch(prefix: string, { after, signal }: WatchOptions): AsyncIterable<ChangeBatch> {
    let position = this.#history.findIndex(({ modified }) => modified > after);
    if (position < 0) position = this.#history.length;
    while (!signal.aborted) {
      const changes = this.#history.slice(position).filter(({ key }) => key.startsWith(prefix));
      position = this.#history.length;
      yield { revision: this.#revision, changes };
      if (position < this.#history.length) continue;
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.#wake.delete(wake);
          signal.removeEventListener("abort", wake);
          resolve();
        };
        this.#wake.add(wake);
        signal.addEventListener("abort", wake, { once: true });
      });
    }
  }

  revision(): Promise<Revision> {
    return Promise.resolve(this.#revision);
  }

  compact(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #stateAt(revision: Revision): Map<string, Entry> {
    const state = new Map<string, Entry>();
    for (const change of this.#history) {
      if (change.modified > revision) break;
      if (change.type === "put") state.set(change.key, change);
      else state.delete(change.key);
    }
    return state;
  }
}
