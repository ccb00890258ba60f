import type { Server } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { type Kysely, sql } from "kysely";
import type { Locks } from "../../base/host/lock.ts";
import {
  boundAddress,
  formatListenAddress,
  type ListenAddress,
} from "../../base/program/listen.ts";
import type { Log } from "../../base/program/log.ts";
import type { Registry } from "../../base/program/metrics.ts";
import type { Part } from "../../base/program/run-all.ts";
import { ClusterService } from "./clusters/service.ts";
import { ClusterStore } from "./clusters/store.ts";
import { isPending, migrate } from "./database/migrate.ts";
import { openDatabase } from "./database/open.ts";
import type { Schema } from "./database/schema.ts";
import { type DatabaseUse, useDatabase } from "./database/use.ts";
import { listenForClusters } from "./http/server.ts";

export interface InstallServiceOptions {
  /** `sqlite:PATH` or `postgres://…`. */
  readonly database: string;
  readonly listen: readonly ListenAddress[];
  readonly token?: string | undefined;
  /** Clusters of Kubernetes objects are kept in step with them, and so are not changed here. */
  readonly isKubernetesKept?: boolean;
  readonly locks: Locks;
  readonly now: () => Date;
  readonly newId: () => string;
  readonly log: Log;
  readonly metrics: Registry;
}

export interface InstallService extends Part {
  /** Where it is reached, such as `127.0.0.1:8090`. */
  readonly addresses: readonly string[];
  readonly store: ClusterStore;
}

/** Brings the database to the latest form, and listens when this resolves. */
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

/** A migration by hand takes its time; a connection to the database may take its time to come back. */
const patienceMs = 10_000;
const retryMs = 1_000;
const pollMs = 100;

type UseParts = Pick<InstallServiceOptions, "database" | "locks" | "log">;

/** Shares the database in its latest form, to which it is brought when nobody else uses it. */
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
    // Another one that starts at the same time may be at it.
    if (alone === undefined && Date.now() < deadline) continue;
    if (alone === undefined) {
      throw new Error(`Cannot migrate ${nameOf(database)}: another service uses it as it is`);
    }
    const { done, findings } = await migrate(db);
    for (const { name, direction } of done) log.info("migrated", { migration: name, direction });
    for (const finding of findings) log.warn("Cannot carry over a VIP", { ...finding });
  }
}

/** Takes the database anew when the use of it was lost; ends when it is in another form by then. */
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

/** Without the password that may be in it. */
function nameOf(database: string): string {
  return database.replace(/:[^:@/]*@/, "@");
}

async function close(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeIdleConnections();
  await promise;
}
