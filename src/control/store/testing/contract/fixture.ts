// Fixtures of the contract suite.

import type { Change, ChangeBatch, Committed, Entry, Page, Revision, Store } from "../../port.ts";

/** A place for the data of one store. */
export interface StorePlace extends AsyncDisposable {
  /** Opens the store; when it was closed before, with the same data. */
  open(): Promise<Store>;
}

export type MakePlace = () => Promise<StorePlace>;

export function bytes(content: string): Uint8Array {
  return new TextEncoder().encode(content);
}

export function text(value: Uint8Array): string {
  return new TextDecoder().decode(value);
}

/** Writes a key, whatever its present value is. */
export function put(store: Store, key: string, value: string): Promise<Committed> {
  return store.commit({ compare: [], operations: [{ type: "put", key, value: bytes(value) }] });
}

export function remove(store: Store, key: string): Promise<Committed> {
  return store.commit({ compare: [], operations: [{ type: "delete", key }] });
}

/** Runs `use` with an open store in a place of its own. */
export async function withStore(
  make: MakePlace,
  use: (store: Store, place: StorePlace) => Promise<void>,
): Promise<void> {
  await using place = await make();
  const store = await place.open();
  try {
    await use(store, place);
  } finally {
    await store.close();
  }
}

export function keysOf({ entries }: Page): string[] {
  return entries.map(({ key }) => key);
}

/** Formats entries for comparisons: "key=value". */
export function shown(entries: readonly Entry[]): string[] {
  return entries.map(({ key, value }) => `${key}=${text(value)}`);
}

interface Until {
  readonly prefix?: string;
  readonly after: Revision;
  readonly until: Revision;
  readonly previous?: boolean;
}

/** Returns all changes that a watch delivers until it reaches a revision. */
export async function watchUntil(store: Store, options: Until): Promise<Change[]> {
  const { prefix = "/", after, until, previous = true } = options;
  const changes: Change[] = [];
  const stop = new AbortController();
  for await (const batch of store.watch(prefix, { after, previous, signal: stop.signal })) {
    changes.push(...batch.changes);
    if (batch.revision >= until) stop.abort();
  }
  return changes;
}

/** A running watch, with the batches it has delivered. */
export class Watching {
  readonly batches: ChangeBatch[] = [];
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;
  #onBatch: () => void = () => undefined;

  constructor(store: Store, prefix: string, after: Revision) {
    this.#ended = this.#run(store, prefix, after);
    // The rejection is handled in `stop`; until then it must not count as unhandled.
    this.#ended.catch(() => undefined);
  }

  get changes(): Change[] {
    return this.batches.flatMap(({ changes }) => changes);
  }

  /** Resolves when the watch has reached the revision; rejects when it ends before that. */
  async reached(revision: Revision): Promise<void> {
    while ((this.batches.at(-1)?.revision ?? 0) < revision) {
      const next = new Promise<void>((resolve) => {
        this.#onBatch = resolve;
      });
      await Promise.race([next, this.#ended]);
    }
  }

  /** Stops the watch; rejects with the error that it threw. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }

  async #run(store: Store, prefix: string, after: Revision): Promise<void> {
    for await (const batch of store.watch(prefix, { after, signal: this.#stop.signal })) {
      this.batches.push(batch);
      this.#onBatch();
    }
  }
}
