// What the embedded store was chosen from, each doing the same: create a key that must not exist, durable
// when acknowledged, with history; and list. All gather concurrent creates into one commit.
//
// `node bench/store-engines.ts open ENGINE DIRECTORY` opens a store and prints what that took;
// `node bench/store-engines.ts fill ENGINE DIRECTORY` puts 150,000 entries of 1.5 kB into it.

import { createRequire } from "node:module";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { openEmbedded } from "../src/control/store/embedded/open.system.ts";
import { Unavailable } from "./harness.ts";

export interface Engine {
  /** Whether the key did not exist yet. */
  create(key: string, value: Uint8Array): Promise<boolean>;
  /** In key order; returns how many bytes the values have. */
  list(prefix: string, limit: number): Promise<number>;
  close(): Promise<void>;
}

type OpenEngine = (directory: string) => Promise<Engine>;

export const engines: Readonly<Record<string, OpenEngine>> = {
  tandem: openTandem,
  "node:sqlite": (directory) => openSqlite(new DatabaseSync(join(directory, "store.db"))),
  libsql: (directory) => openPackagedSqlite("libsql", directory),
  "better-sqlite3": (directory) => openPackagedSqlite("better-sqlite3", directory),
  lmdb: openLmdb,
};

async function openTandem(directory: string): Promise<Engine> {
  const store = await openEmbedded({ directory });
  return {
    create: async (key, value) => {
      const operations = [{ type: "put", key, value }] as const;
      return (await store.commit({ compare: [{ key, modified: 0 }], operations })).ok;
    },
    list: async (prefix, limit) => {
      const { entries } = await store.list(prefix, { limit });
      return entries.reduce((sum, { value }) => sum + value.length, 0);
    },
    close: () => store.close(),
  };
}

interface Statement {
  run(...values: unknown[]): { lastInsertRowid: number | bigint };
  get(...values: unknown[]): unknown;
  all(...values: unknown[]): unknown[];
}

interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

/** One row for each version, and one for each key that points at its newest. */
const schema = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA locking_mode = EXCLUSIVE;
  PRAGMA cache_size = -8000;
  CREATE TABLE IF NOT EXISTS version (
    revision INTEGER PRIMARY KEY, key TEXT NOT NULL, created INTEGER NOT NULL, value BLOB
  );
  CREATE UNIQUE INDEX IF NOT EXISTS by_key ON version (key, revision DESC);
  CREATE TABLE IF NOT EXISTS newest (key TEXT PRIMARY KEY, revision INTEGER NOT NULL) WITHOUT ROWID;
`;

async function openSqlite(database: object): Promise<Engine> {
  const db = database as Database;
  db.exec(schema);
  const find = db.prepare("SELECT revision FROM newest WHERE key = ?");
  const insert = db.prepare("INSERT INTO version (key, created, value) VALUES (?, 0, ?)");
  const point = db.prepare("INSERT INTO newest (key, revision) VALUES (?, ?)");
  const select = db.prepare(
    `SELECT n.key AS key, v.value AS value, n.revision AS revision
       FROM newest n JOIN version v ON v.revision = n.revision
      WHERE n.key >= ? AND n.key < ? ORDER BY n.key LIMIT ?`,
  );
  const group = groupCommit(async (creates) => {
    db.exec("BEGIN IMMEDIATE");
    const outcomes = creates.map(({ key, value }) => {
      if (find.get(key) !== undefined) return false;
      point.run(key, insert.run(key, value).lastInsertRowid);
      return true;
    });
    db.exec("COMMIT");
    return outcomes;
  });
  return {
    create: group,
    list: async (prefix, limit) => {
      const rows = select.all(prefix, `${prefix}\uffff`, limit) as { value: Uint8Array }[];
      return rows.reduce((sum, { value }) => sum + value.length, 0);
    },
    close: async () => db.close(),
  };
}

async function openPackagedSqlite(name: string, directory: string): Promise<Engine> {
  const Packaged = fromPackage(name) as new (path: string) => object;
  return openSqlite(new Packaged(join(directory, "store.db")));
}

interface LmdbTable {
  get(key: unknown): unknown;
  put(key: unknown, value: unknown): Promise<boolean>;
  getBinary(key: unknown): Uint8Array;
  getRange(options: object): Iterable<{ value: number }>;
  getKeys(options: object): Iterable<number>;
}

interface Lmdb {
  openDB(name: string, options: object): LmdbTable;
  transaction(work: () => unknown): Promise<unknown>;
  readonly flushed: Promise<unknown>;
  close(): Promise<void>;
}

async function openLmdb(directory: string): Promise<Engine> {
  const { open } = fromPackage("lmdb") as { open: (options: object) => Lmdb };
  const root = open({ path: join(directory, "lmdb"), overlappingSync: false });
  const newest = root.openDB("newest", { encoding: "msgpack" });
  const versions = root.openDB("version", { encoding: "binary", keyEncoding: "uint32" });
  let revision = [...versions.getKeys({ reverse: true, limit: 1 })][0] ?? 0;
  const group = groupCommit(async (creates) => {
    const outcomes: boolean[] = [];
    await root.transaction(() => {
      for (const { key, value } of creates) {
        const isNew = newest.get(key) === undefined;
        outcomes.push(isNew);
        if (!isNew) continue;
        revision += 1;
        void versions.put(revision, value);
        void newest.put(key, revision);
      }
    });
    await root.flushed;
    return outcomes;
  });
  return {
    create: group,
    list: async (prefix, limit) => {
      let bytes = 0;
      for (const { value } of newest.getRange({ start: prefix, end: `${prefix}\uffff`, limit })) {
        bytes += versions.getBinary(value).length;
      }
      return bytes;
    },
    close: () => root.close(),
  };
}

/** Packages that the project does not depend on, from the folder that STORE_ENGINES names. */
function fromPackage(name: string): unknown {
  const folder = process.env["STORE_ENGINES"];
  if (folder === undefined) throw new Unavailable("STORE_ENGINES names no folder with the package");
  return createRequire(join(folder, "package.json"))(name);
}

interface Create {
  readonly key: string;
  readonly value: Uint8Array;
}

type Write = (creates: readonly Create[]) => Promise<readonly boolean[]>;

/** What arrives while one commit is under way goes into the next. */
function groupCommit(write: Write): Engine["create"] {
  let waiting: (Create & { resolve: (isNew: boolean) => void })[] = [];
  let isWriting = false;
  const run = async (): Promise<void> => {
    isWriting = true;
    while (waiting.length > 0) {
      await setImmediate();
      const taken = waiting;
      waiting = [];
      const outcomes = await write(taken);
      for (const [index, { resolve }] of taken.entries()) resolve(outcomes[index] ?? false);
    }
    isWriting = false;
  };
  return (key, value) =>
    new Promise((resolve) => {
      waiting.push({ key, value, resolve });
      if (!isWriting) void run();
    });
}

/** Keys that are written across namespaces, and read namespace by namespace. */
export function keyOf(n: number): string {
  return `/registry/pods/namespace-${n % 50}/workload-${String(n).padStart(7, "0")}-x8f2k`;
}

export async function fill(engine: Engine, count: number): Promise<void> {
  const value = Buffer.alloc(1500, "x");
  const together = 500;
  for (let start = 0; start < count; start += together) {
    const numbers = Array.from({ length: Math.min(together, count - start) }, (_, i) => start + i);
    await Promise.all(numbers.map((n) => engine.create(keyOf(n), value)));
  }
}

if (import.meta.main) {
  const [command = "", name = "", directory = ""] = process.argv.slice(2);
  const memory = process.memoryUsage.rss();
  const started = performance.now();
  const engine = await engines[name]?.(directory);
  const time = performance.now() - started;
  if (engine !== undefined && command === "fill") await fill(engine, 150_000);
  process.stdout.write(JSON.stringify({ time, memory: process.memoryUsage.rss() - memory }));
  await engine?.close();
}
