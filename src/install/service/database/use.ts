// Who uses a database at present. Services share it; a migration has it alone, since the tables that a
// service knows are gone when it goes back.

import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { Client } from "pg";
import { isTimedOut } from "../../../base/host/error.ts";
import type { Locks } from "../../../base/host/lock.ts";

/** Held until it is released, or its process dies. */
export interface DatabaseUse extends AsyncDisposable {
  /** Resolves when it is not held any more, by whatever reason. */
  readonly lost: Promise<void>;
}

export interface UseOptions {
  readonly locks: Locks;
  readonly isShared: boolean;
  /** How long to wait for those who exclude it. */
  readonly timeoutMs: number;
}

/** `undefined` when somebody else's use excludes it. */
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

/** Any number, as long as it is ours: "tandem" on a telephone. */
const advisoryKey = 826_336;
const pollMs = 100;

/** An advisory lock lasts as long as its connection, so it has one of its own. */
async function useServer(
  url: string,
  { isShared, timeoutMs }: UseOptions,
): Promise<DatabaseUse | undefined> {
  const client = new Client({ connectionString: url });
  const { promise: lost, resolve } = Promise.withResolvers<void>();
  client.once("end", resolve);
  // A connection that breaks says so here first.
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
