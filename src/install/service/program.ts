import { once } from "node:events";
import type { Server } from "node:http";
import { sql } from "kysely";
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
import { migrate } from "./database/migrate.ts";
import { openDatabase } from "./database/open.ts";
import { listenForClusters } from "./http/server.ts";

export interface InstallServiceOptions {
  /** `sqlite:PATH` or `postgres://…`. */
  readonly database: string;
  readonly listen: readonly ListenAddress[];
  readonly token?: string | undefined;
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
  const { log } = options;
  const db = openDatabase(options.database);
  try {
    const { done, findings } = await migrate(db);
    for (const { name, direction } of done) log.info("migrated", { migration: name, direction });
    for (const finding of findings) log.warn("Cannot carry over a VIP", { ...finding });
    const store = new ClusterStore(db, options);
    const reachable = {
      name: "database",
      check: async () => void (await sql`select 1`.execute(db)),
    };
    const service = new ClusterService(store);
    const servers = await listenForClusters({ ...options, service, ready: [reachable] });
    return {
      name: "install service",
      addresses: servers.map((server) => formatListenAddress(boundAddress(server))),
      store,
      async run(signal) {
        if (!signal.aborted) await once(signal, "abort");
        await Promise.all(servers.map(close));
        await db.destroy();
      },
    };
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

async function close(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeIdleConnections();
  await promise;
}
