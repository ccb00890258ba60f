import { type Kysely, type MigrationResult, Migrator } from "kysely";
import type { Finding } from "./finding.ts";
import { clusters } from "./migrations/0001-clusters.ts";
import { vipLists } from "./migrations/0002-vip-lists.ts";
import type { Schema } from "./schema.ts";

export interface MigrationReport {
  readonly done: readonly { readonly name: string; readonly direction: "Up" | "Down" }[];
  readonly findings: readonly Finding[];
}

/** Whether there are migrations still to run. */
export async function isPending(db: Kysely<Schema>): Promise<boolean> {
  const migrations = await migratorOf(db, () => undefined).getMigrations();
  return migrations.some(({ executedAt }) => executedAt === undefined);
}

export const migrationNames = ["0001-clusters", "0002-vip-lists"] as const;
export type MigrationName = (typeof migrationNames)[number];

/** Migrates the tables to a schema, by default the latest; a failure leaves them as they were. */
export async function migrate(db: Kysely<Schema>, to?: MigrationName): Promise<MigrationReport> {
  const findings: Finding[] = [];
  const migrator = migratorOf(db, (finding) => findings.push(finding));
  const { error, results = [] } =
    to === undefined ? await migrator.migrateToLatest() : await migrator.migrateTo(to);
  if (error !== undefined) {
    const failed = results.find(({ status }) => status === "Error")?.migrationName ?? "any";
    throw new Error(`Cannot migrate the database: migration ${failed} failed`, { cause: error });
  }
  return { done: results.map(summary), findings };
}

function migratorOf(db: Kysely<Schema>, report: (finding: Finding) => void): Migrator {
  const migrations = {
    "0001-clusters": clusters,
    "0002-vip-lists": vipLists(report),
  } satisfies Record<MigrationName, unknown>;
  return new Migrator({ db, provider: { getMigrations: async () => migrations } });
}

function summary({ migrationName, direction }: MigrationResult) {
  return { name: migrationName, direction };
}
