// Puts the entries of a backup into a store: into new files of an embedded store, or into etcd by transactions.

import { rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { isThere } from "../../../base/host/is-there.system.ts";
import type { StoreAddress } from "../address.ts";
import { syncDirectory } from "../embedded/directory.system.ts";
import { openEmbedded } from "../embedded/open.system.ts";
import { readEmbedded } from "../embedded/read-only.system.ts";
import { writeEmbedded } from "../embedded/write-new.system.ts";
import { isDamaged, StoreError } from "../errors.ts";
import { openEtcd } from "../etcd/open.ts";
import { etcdOptionsOf } from "../open.system.ts";
import type { Operation, Store } from "../port.ts";
import { type Backup, backupEntries } from "./backup-file.system.ts";
import type { KeptEntry } from "./contents.ts";

export interface RestoreOptions {
  /** The path of the backup, which was verified. */
  readonly path: string;
  readonly backup: Backup;
  /** Whether a store that holds something is replaced. */
  readonly replace: boolean;
  /** Keys with this prefix are written last: without them a server does not start on what is half restored. */
  readonly lastPrefix: string;
  readonly now: () => Date;
}

/** How far an embedded store goes on from: clients may have seen revisions that came after the backup. */
const revisionGap = 1_000_000_000;
/** Limits of one transaction: etcd takes 128 operations, and 1.5 MiB. */
const mostOperations = 100;
const mostBytes = 512 * 1024;

export async function restoreStore(address: StoreAddress, options: RestoreOptions): Promise<void> {
  if (address.type === "embedded") return restoreEmbedded(address.directory, options);
  const store = await openEtcd(await etcdOptionsOf(address));
  try {
    await restoreInto(store, options);
  } finally {
    await store.close();
  }
}

async function restoreEmbedded(directory: string, options: RestoreOptions): Promise<void> {
  const { path, backup, replace, now } = options;
  const holds = await holdsSomething(directory);
  if (holds && !replace) throw notEmpty(directory);
  const unfinished = `${directory}.restoring`;
  await rm(unfinished, { recursive: true, force: true });
  const revision = backup.head.revision + revisionGap;
  await writeEmbedded(unfinished, { revision, entries: backupEntries(path) });
  const restored = await readEmbedded(unfinished);
  try {
    const { length } = await Array.fromAsync(restored.entries(), ({ key }) => key);
    if (length !== backup.count) {
      throw new StoreError(
        `Cannot restore ${path}: ${length} of ${backup.count} entries could be read again`,
        { reason: "damaged" },
      );
    }
  } finally {
    restored.close();
  }
  // Files that are no store's may lie there, too: what was found is moved aside, never removed.
  if (await isThere(directory)) await rename(directory, `${directory}.replaced-${now().getTime()}`);
  await rename(unfinished, directory);
  syncDirectory(dirname(directory));
}

/** Opens the store if there is one, which fails if a server has it open. One that is damaged held something. */
async function holdsSomething(directory: string): Promise<boolean> {
  if (!(await isThere(directory))) return false;
  let store: Store;
  try {
    store = await openEmbedded({ directory });
  } catch (error) {
    if (isDamaged(error)) return true;
    throw error;
  }
  try {
    return (await store.list("/", { limit: 1 })).entries.length > 0;
  } finally {
    await store.close();
  }
}

async function restoreInto(store: Store, options: RestoreOptions): Promise<void> {
  const { path, replace, lastPrefix } = options;
  const { entries } = await store.list("/", { limit: 1 });
  if (entries.length > 0 && !replace) throw notEmpty("etcd");
  // The keys that a server does not start without go first, so that what follows may be interrupted.
  for (const prefix of [lastPrefix, "/"]) await empty(store, prefix);
  const last: KeptEntry[] = [];
  let batch: Operation[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    await put(store, batch);
    batch = [];
    bytes = 0;
  };
  for await (const entry of backupEntries(path)) {
    if (entry.key.startsWith(lastPrefix)) {
      last.push(entry);
      continue;
    }
    if (batch.length >= mostOperations || bytes + entry.value.length > mostBytes) await flush();
    batch.push({ type: "put", key: entry.key, value: entry.value });
    bytes += entry.value.length;
  }
  await flush();
  await put(
    store,
    last.map(({ key, value }) => ({ type: "put", key, value })),
  );
}

async function put(store: Store, operations: readonly Operation[]): Promise<void> {
  if (operations.length === 0) return;
  const compare = operations.map(({ key }) => ({ key, modified: 0 }));
  const { ok } = await store.commit({ compare, operations });
  if (ok) return;
  throw new StoreError("Cannot restore: somebody else writes to the store", { reason: "in-use" });
}

async function empty(store: Store, prefix: string): Promise<void> {
  for (;;) {
    const { entries } = await store.list(prefix, { limit: mostOperations });
    if (entries.length === 0) return;
    const operations = entries.map(({ key }) => ({ type: "delete", key }) as const);
    await store.commit({ compare: [], operations });
  }
}

function notEmpty(where: string): StoreError {
  return new StoreError(`Cannot restore into ${where}: it holds a cluster already`, {
    reason: "invalid",
  });
}
