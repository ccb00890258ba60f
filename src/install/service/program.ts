import type { Server } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { type Kysely, sql } from "kysely";
import type { Locks } from "../../base/host/lock.ts";
import {
  boundAddress,
  formatListenAddress,
  type ListenAddress,
} from "../../base/program/listen.system.ts";
import type { Log } from "../../base/program/log.ts";
import type { Registry } from "../../base/program/metrics.ts";
import type { Part } from "../../base/program/run-all.ts";
import { ClusterService } from "./clusters/service.ts";
import { ClusterStore } from "./clusters/store.ts";
import { isPending, migrate } from "./database/migrate.ts";
import { openDatabase } from "./database/open.ts";
import type { Schema } from "./database/schema.ts";
import { type DatabaseUse, useDatabase } from "./database/use.system.ts";
import { listenForClusters } from "./http/server.ts";

export interface InstallServiceOptions {
  /** The database: `sqlite:PATH` or `postgres://…`. */
  readonly database: string;
  readonly listen: readonly ListenAddress[];
  readonly token?: string | undefined;
  /** Whether clusters of Kubernetes objects are managed by these, and so cannot be changed by REST. */
  readonly isKubernetesKept?: boolean;
  readonly locks: Locks;
  readonly now: () => Date;
  readonly newId: () => string;
  readonly log: Log;
  readonly metrics: Registry;
}

export interface InstallService extends Part {
  /** The addresses it listens on, such as `127.0.0.1:8090`. */
  readonly addresses: readonly string[];
  readonly store: ClusterStore;
}

/** Migrates the database to the latest schema; the service listens when this resolves. */
export async function openInstallService(options: InstallServiceOptions): Promise<InstallService> {
  const db = openDatabase(options.database);
  let use: DatabaseUse | undefined;
  try {
    use = await startUse(db, options);
    const held = use;
    const store = new ClusterStore(db, options);
    const reachable = {
      name: "database",
      check: async () => void (await sql`select 1`.execute(db)),
    };
    const service = new ClusterService(store, options);
    const servers = await listenForClusters({ ...options, service, ready: [reachable] });
    return {
      name: "install service",
      addresses: servers.map((server) => formatListenAddress(boundAddress(server))),
      store,
      async run(signal) {
        try {
          await keepUsing(held, { ...options, db }, signal);
        } finally {
          await Promise.all(servers.map(close));
          await db.destroy();
        }
      },
    };
  } catch (error) {
    await use?.[Symbol.asyncDispose]();
    await db.destroy();
    throw error;
  }
}

/** The times to wait: for a migration by hand, and for a connection to the database to come back. */
const patienceMs = 10_000;
const retryMs = 1_000;
const pollMs = 100;

type UseParts = Pick<InstallServiceOptions, "database" | "locks" | "log">;

/** Shares the database at its latest schema; migrates it if no other process uses it. */
async function startUse(
  db: Kysely<Schema>,
  { database, locks, log }: UseParts,
): Promise<DatabaseUse> {
  for (const deadline = Date.now() + patienceMs; ; await delay(pollMs)) {
    const shared = await useDatabase(database, { locks, isShared: true, timeoutMs: patienceMs });
    if (shared === undefined) {
      throw new Error(`Cannot use ${nameOf(database)}: it is being migrated`);
    }
    if (!(await isPending(db))) return shared;
    await shared[Symbol.asyncDispose]();
    await using alone = await useDatabase(database, { locks, isShared: false, timeoutMs: 0 });
    // Another process that starts at the same time may be migrating.
    if (alone === undefined && Date.now() < deadline) continue;
    if (alone === undefined) {
      throw new Error(`Cannot migrate ${nameOf(database)}: another service uses it as it is`);
    }
    const { done, findings } = await migrate(db);
    for (const { name, direction } of done) log.info("migrated", { migration: name, direction });
    for (const finding of findings) log.warn("Cannot carry over a VIP", { ...finding });
  }
}

/** Acquires the database again when its lock was lost; ends if its schema has changed meanwhile. */
async function keepUsing(
  first: DatabaseUse,
  { db, ...parts }: UseParts & { readonly db: Kysely<Schema> },
  signal: AbortSignal,
): Promise<void> {
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => resolve(), { once: true });
  let use: DatabaseUse | undefined = first;
  while (!signal.aborted) {
    await Promise.race([aborted, use?.lost ?? delay(retryMs, undefined, { signal })]).catch(
      (error: unknown) => {
        if (!signal.aborted) throw error;
      },
    );
    if (signal.aborted) break;
    use = await useDatabase(parts.database, { ...parts, isShared: true, timeoutMs: 0 }).catch(
      (error: unknown) => {
        parts.log.warn("Cannot reach the database; trying again", { error });
        return undefined;
      },
    );
    if (use !== undefined && (await isPending(db))) {
      await use[Symbol.asyncDispose]();
      throw new Error(`Cannot go on with ${nameOf(parts.database)}: it was migrated meanwhile`);
    }
  }
  await use?.[Symbol.asyncDispose]();
}

/** The URL of the database without its password. */
function nameOf(database: string): string {
  return database.replace(/:[^:@/]*@/, "@");
}

async function close(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeIdleConnections();
  await promise;
}
