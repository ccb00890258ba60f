// The install service on a real PostgreSQL, and both databases with ten thousand clusters.

import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { installServiceContract } from "../../src/install/service/contract.ts";
import { migrationContract } from "../../src/install/service/database/contract.ts";
import { startPostgres } from "../fixtures/postgres.ts";

const postgres = await startPostgres();
after(() => postgres[Symbol.asyncDispose]());
const scratch = await mkdtemp(join(tmpdir(), "tandem-install-"));
after(() => rm(scratch, { recursive: true }));

const databases = {
  PostgreSQL: () => postgres.createDatabase(),
  SQLite: async () => `sqlite:${join(scratch, randomUUID())}`,
};

for (const [name, database] of Object.entries(databases)) {
  installServiceContract(name, database);
  migrationContract(name, { clusters: 10_000, database });
}
