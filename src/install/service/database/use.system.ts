// Locks on a database. Services share it; a migration locks it exclusively, since a downgrade removes tables
// that a service uses.

import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { Client } from "pg";
import { isTimedOut } from "../../../base/host/error.ts";
import type { Locks } from "../../../base/host/lock.ts";

/** A lock on a database, held until it is released, or its process dies. */
export interface DatabaseUse extends AsyncDisposable {
  /** Resolves when the lock is not held any more, for whatever reason. */
  readonly lost: Promise<void>;
}

export interface UseOptions {
  readonly locks: Locks;
  readonly isShared: boolean;
  /** The time to wait for the holders of excluding locks. */
  readonly timeoutMs: number;
}

/** Locks a database; `undefined` when another process excludes it. */
export async function useDatabase(
  url: string,
  options: UseOptions,
): Promise<DatabaseUse | undefined> {
  const path = url.startsWith("sqlite:") ? url.slice("sqlite:".length) : undefined;
  if (path === ":memory:") return ofMemory;
  return path === undefined ? await useServer(url, options) : await useFile(path, options);
}

const ofMemory: DatabaseUse = {
  lost: new Promise(() => undefined),
  [Symbol.asyncDispose]: async () => undefined,
};

async function useFile(
  path: string,
  { locks, isShared, timeoutMs }: UseOptions,
): Promise<DatabaseUse | undefined> {
  mkdirSync(dirname(path), { recursive: true });
  try {
    const lock = await locks.acquire(`${path}.use`, { isShared, timeoutMs });
    const { promise: lost, resolve } = Promise.withResolvers<void>();
    return {
      lost,
      async [Symbol.asyncDispose]() {
        await lock.release();
        resolve();
      },
    };
  } catch (error) {
    if (isTimedOut(error)) return undefined;
    throw error;
  }
}

/** The key of the advisory lock, an arbitrary number: "tandem" on a telephone keypad. */
const advisoryKey = 826_336;
const pollMs = 100;

/** Locks a PostgreSQL server by an advisory lock, which lasts as long as its own connection. */
async function useServer(
  url: string,
  { isShared, timeoutMs }: UseOptions,
): Promise<DatabaseUse | undefined> {
  const client = new Client({ connectionString: url });
  const { promise: lost, resolve } = Promise.withResolvers<void>();
  client.once("end", resolve);
  // A broken connection emits "error" first.
  client.on("error", () => resolve());
  await client.connect();
  const asked = `select pg_try_advisory_lock${isShared ? "_shared" : ""}(${advisoryKey}) as taken`;
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>(asked);
    if (rows[0]?.taken === true) break;
    if (Date.now() >= deadline) {
      await client.end();
      return undefined;
    }
    await new Promise((wake) => setTimeout(wake, pollMs));
  }
  return { lost, [Symbol.asyncDispose]: () => client.end() };
}
