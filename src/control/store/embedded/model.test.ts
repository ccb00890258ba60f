// Compares the embedded store with the simplest correct model: every state it ever had, in memory.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { isExpired } from "../errors.ts";
import type { Store, Transaction } from "../port.ts";
import { bytes, text, watchUntil } from "../testing/contract/fixture.ts";
import { openEmbedded } from "./open.system.ts";

const keys = ["/a", "/a/b", "/b", "/c"] as const;

type Step =
  | {
      readonly type: "commit";
      readonly writes: readonly Write[];
      readonly guess: Guess | undefined;
    }
  | { readonly type: "compact"; readonly back: number }
  | { readonly type: "reopen" };

interface Write {
  readonly key: string;
  /** The value to write; `undefined` deletes the key. */
  readonly value: string | undefined;
}

/** A comparison that is right, or off by some revisions. */
interface Guess {
  readonly key: string;
  readonly off: number;
}

const key = fc.constantFrom(...keys);
const writes = fc.uniqueArray(
  fc.record({ key, value: fc.option(fc.string(), { nil: undefined }) }),
  {
    selector: (write) => write.key,
    maxLength: 3,
  },
);
const guess = fc.option(fc.record({ key, off: fc.integer({ min: 0, max: 2 }) }), {
  nil: undefined,
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ type: fc.constant("commit" as const), writes, guess }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("compact" as const), back: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("reopen" as const) }) },
);

test("[API-2] whatever is done to it, the embedded store says what a plain model says", async () => {
  const property = fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
    const directory = await mkdtemp(join(tmpdir(), "tandem-store-"));
    const open = (): Promise<Store> => openEmbedded({ directory, spareBytes: 0 });
    const model = new Model();
    let store = await open();
    try {
      for (const each of steps) {
        if (each.type === "commit") {
          const transaction = model.transaction(each);
          assert.deepEqual(await store.commit(transaction), model.commit(transaction));
        } else if (each.type === "compact") {
          const revision = Math.max(model.revision - each.back, 1);
          model.floor = Math.max(model.floor, revision);
          await store.compact(revision);
        } else {
          await store.close();
          store = await open();
        }
      }
      await compareAll(store, model);
    } finally {
      await store.close();
      await rm(directory, { recursive: true });
    }
  });
  await fc.assert(property, { numRuns: 60 });
});

interface Held {
  readonly value: string;
  readonly created: number;
  readonly modified: number;
}

class Model {
  /** The states by revision; the first two are empty. */
  readonly states: ReadonlyMap<string, Held>[] = [new Map(), new Map()];
  floor = 0;

  get revision(): number {
    return this.states.length - 1;
  }

  at(revision: number): ReadonlyMap<string, Held> {
    return this.states[revision] as ReadonlyMap<string, Held>;
  }

  transaction({ writes: wanted, guess: guessed }: Step & { type: "commit" }): Transaction {
    const now = this.at(this.revision);
    const modified = guessed && Math.max((now.get(guessed.key)?.modified ?? 0) - guessed.off, 0);
    return {
      compare: guessed && modified !== undefined ? [{ key: guessed.key, modified }] : [],
      operations: wanted.map(({ key: name, value }) =>
        value === undefined
          ? { type: "delete", key: name }
          : { type: "put", key: name, value: bytes(value) },
      ),
    };
  }

  commit({ compare, operations }: Transaction): { ok: boolean; revision: number } {
    const now = this.at(this.revision);
    const ok = compare.every((one) => (now.get(one.key)?.modified ?? 0) === one.modified);
    const effective = operations.filter(({ type, key: name }) => type === "put" || now.has(name));
    if (!ok || effective.length === 0) return { ok, revision: this.revision };
    const next = new Map(now);
    const modified = this.revision + 1;
    for (const operation of effective) {
      if (operation.type === "delete") {
        next.delete(operation.key);
        continue;
      }
      const created = now.get(operation.key)?.created ?? modified;
      next.set(operation.key, { value: text(operation.value), created, modified });
    }
    this.states.push(next);
    return { ok, revision: modified };
  }

  /** Returns the changes of a revision, in key order. */
  changes(revision: number): string[] {
    const [before, now] = [this.at(revision - 1), this.at(revision)];
    return keys.flatMap((name) => {
      const [old, held] = [before.get(name), now.get(name)];
      if (old === held) return [];
      return [`${revision} ${name} ${old?.value ?? "-"} ${held?.value ?? "-"}`];
    });
  }
}

async function compareAll(store: Store, model: Model): Promise<void> {
  assert.equal(await store.revision(), model.revision);
  for (let revision = 1; revision <= model.revision; revision++) {
    const listing = store.list("/", { revision });
    if (revision < model.floor) {
      await assert.rejects(listing, isExpired);
      continue;
    }
    const listed = (await listing).entries.map(({ value, ...rest }) => ({
      ...rest,
      value: text(value),
    }));
    const held = [...model.at(revision)].map(([name, rest]) => ({ key: name, ...rest }));
    assert.deepEqual(
      listed,
      held.toSorted((a, b) => (a.key < b.key ? -1 : 1)),
    );
  }
  const after = Math.max(model.floor, 1);
  if (after === model.revision) return;
  const expected = [];
  for (let revision = after + 1; revision <= model.revision; revision++) {
    expected.push(...model.changes(revision));
  }
  const seen = (await watchUntil(store, { after, until: model.revision })).map((change) => {
    const [old, now] = [change.previous?.value, change.type === "put" ? change.value : undefined];
    return `${change.modified} ${change.key} ${old ? text(old) : "-"} ${now ? text(now) : "-"}`;
  });
  const order = (a: string, b: string): number =>
    parseInt(a, 10) - parseInt(b, 10) || (a < b ? -1 : 1);
  assert.deepEqual(seen.toSorted(order), expected.toSorted(order));
}
