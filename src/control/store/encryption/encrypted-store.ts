// A store that encrypts chosen values on their way in and decrypts them on their way out.
import { setImmediate as nextTurn } from "node:timers/promises";
import { defined } from "../../../base/json/defined.ts";
import { StoreError } from "../errors.ts";
import type { Change, Entry, Operation, Store } from "../port.ts";
import { identity, type Provider } from "./providers.ts";

/** Returns the providers of a key; none if its value is not encrypted. */
export type ProvidersOf = (key: string) => readonly Provider[];

export interface EncryptedStore extends Store {
  /** Rewrites all values that the first provider has not written; returns their number. */
  rewrite(prefix: string, signal: AbortSignal): Promise<number>;
}

const mark = Buffer.from("k8s:enc:");
const pageSize = 500;

export function encryptedStore(store: Store, providersOf: ProvidersOf): EncryptedStore {
  const decrypted = <Kept extends Entry | Change>(entry: Kept): Kept =>
    isMarked(entry.value) ? { ...entry, value: decrypt(entry, providersOf) } : entry;
  const change = (one: Change): Change => {
    const opened = decrypted(one);
    return one.previous === undefined ? opened : { ...opened, previous: decrypted(one.previous) };
  };
  const encrypted = (operation: Operation): Operation => {
    if (operation.type !== "put") return operation;
    const [provider = identity] = providersOf(operation.key);
    return { ...operation, value: encrypt(operation.value, operation.key, provider) };
  };
  return {
    async get(key) {
      const entry = await store.get(key);
      return entry && decrypted(entry);
    },
    async list(prefix, options) {
      const page = await store.list(prefix, options);
      return { ...page, entries: page.entries.map(decrypted) };
    },
    commit: ({ compare, operations }) =>
      store.commit({ compare, operations: operations.map(encrypted) }),
    async *watch(prefix, options) {
      for await (const batch of store.watch(prefix, options)) {
        yield { ...batch, changes: batch.changes.map(change) };
      }
    },
    revision: () => store.revision(),
    compact: (revision) => store.compact(revision),
    close: () => store.close(),
    async rewrite(prefix, signal) {
      let count = 0;
      let after: string | undefined;
      while (!signal.aborted) {
        const page = await store.list(prefix, {
          limit: pageSize,
          ...defined({ after }),
        });
        for (const entry of page.entries) {
          const { key, value, modified } = entry;
          const [provider = identity] = providersOf(key);
          if (isWrittenBy(value, provider) || signal.aborted) continue;
          const operation = { type: "put", key, value: decrypted(entry).value } as const;
          // A failed comparison is fine: another writer has just encrypted the value anew.
          const { ok } = await store.commit({
            compare: [{ key, modified }],
            operations: [encrypted(operation)],
          });
          if (ok) count++;
        }
        after = page.entries.at(-1)?.key;
        if (!page.more || after === undefined) break;
        // The embedded store answers in the same turn: without a pause, one would last for the whole store.
        await nextTurn();
      }
      return count;
    },
  };
}

function isMarked(value: Uint8Array): boolean {
  return startsWith(value, mark);
}

function isWrittenBy(value: Uint8Array, { prefix }: Provider): boolean {
  return prefix === "" ? !isMarked(value) : startsWith(value, Buffer.from(prefix));
}

function startsWith(value: Uint8Array, start: Buffer): boolean {
  // The first byte is compared first, since nearly all values are JSON, which starts otherwise.
  return value[0] === start[0] && start.equals(value.subarray(0, start.length));
}

function encrypt(value: Uint8Array, key: string, provider: Provider): Uint8Array {
  if (provider.prefix === "") return value;
  return Buffer.concat([Buffer.from(provider.prefix), provider.encrypt(value, key)]);
}

function decrypt({ key, value }: Entry | Change, providersOf: ProvidersOf): Uint8Array {
  const provider = providersOf(key).find(
    ({ prefix }) => prefix !== "" && startsWith(value, Buffer.from(prefix)),
  );
  if (provider === undefined) {
    const text = Buffer.from(value.subarray(0, 200)).toString("latin1");
    const name = /^k8s:enc:\w+:v1:[^:]*:/.exec(text)?.[0] ?? "k8s:enc:…";
    const message = `Cannot decrypt ${key}: the encryption configuration has no key for ${name}`;
    throw new StoreError(message, { reason: "damaged" });
  }
  try {
    return provider.decrypt(value.subarray(provider.prefix.length), key);
  } catch (error) {
    const message = `Cannot decrypt ${key} with ${provider.prefix}: it was changed, or the key is another one`;
    throw new StoreError(message, { reason: "damaged", cause: error });
  }
}
