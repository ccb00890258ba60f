// The install service on a real PostgreSQL, and both databases with ten thousand clusters.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { systemCommands } from "../../src/base/host/command.system.ts";
import { CommandError } from "../../src/base/host/error.ts";
import { systemLocks } from "../../src/base/host/lock.system.ts";
import { createLog } from "../../src/base/program/log.ts";
import { Registry } from "../../src/base/program/metrics.ts";
import { migrationContract } from "../../src/install/service/database/testing/contract.ts";
import { useDatabase } from "../../src/install/service/database/use.system.ts";
import { openInstallService } from "../../src/install/service/program.ts";
import { installServiceContract } from "../../src/install/service/testing/contract.ts";
import { startPostgres } from "../fixtures/postgres.ts";

const launcher = new URL("../../bin/tandem", import.meta.url).pathname;
const commands = systemCommands();
const postgres = await startPostgres();
after(() => postgres[Symbol.asyncDispose]());
const guarded = await startPostgres({ isGuarded: true });
after(() => guarded[Symbol.asyncDispose]());
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

const withSecrets = "PostgreSQL with TLS and a password";
installServiceContract(withSecrets, () => guarded.createDatabase());
migrationContract(withSecrets, { clusters: 500, database: () => guarded.createDatabase() });

test(`[VIP-6] ${withSecrets} takes nobody without them, and messages do not tell the password`, async () => {
  const url = await guarded.createDatabase();
  const { password } = new URL(url);
  const plain = url.replace(/\?.*/, "?sslmode=disable");
  const wrong = url.replace(password, "wrong");
  for (const refused of [plain, wrong]) {
    const migrated = commands.run([
      launcher,
      "install-service",
      "migrate",
      `--database=${refused}`,
    ]);
    await assert.rejects(migrated, (error) => {
      assert.ok(error instanceof CommandError);
      assert.match(error.stderr, /no encryption|password authentication failed/);
      assert.ok(!error.stderr.includes(password), error.stderr);
      return true;
    });
  }
});

for (const [name, database] of Object.entries(databases)) {
  test(`[VIP-6] services that start at the same time on a new database all serve: ${name}`, async () => {
    const url = await database();
    const stop = new AbortController();
    const services = await Promise.all(
      Array.from({ length: 4 }, () =>
        openInstallService({
          database: url,
          listen: [{ host: "127.0.0.1", port: 0 }],
          now: () => new Date(),
          newId: () => randomUUID(),
          locks: systemLocks(commands),
          log: createLog({ write: () => undefined, format: "json" }),
          metrics: new Registry(),
        }),
      ),
    );
    const running = services.map((service) => service.run(stop.signal));
    for (const { addresses } of services) {
      const answer = await fetch(`http://${addresses[0]}/api/assisted-install/v2/clusters`);
      assert.deepEqual(await answer.json(), []);
    }
    stop.abort();
    await Promise.all(running);
  });
}

test("[VIP-6] a service whose connections are cut goes on, and its database is still in use", async () => {
  const database = await postgres.createDatabase();
  const locks = systemLocks(commands);
  const service = await openInstallService({
    database,
    listen: [{ host: "127.0.0.1", port: 0 }],
    now: () => new Date(),
    newId: () => randomUUID(),
    locks,
    log: createLog({ write: () => undefined, format: "json" }),
    metrics: new Registry(),
  });
  const stop = new AbortController();
  const running = service.run(stop.signal);
  const clusters = `http://${service.addresses[0]}/api/assisted-install/v2/clusters`;
  const other = new Client({ connectionString: database });
  try {
    assert.equal((await fetch(clusters)).status, 200);
    await other.connect();
    const cut = "select pg_terminate_backend(pid) from pg_stat_activity where datname =";
    await other.query(`${cut} current_database() and pid <> pg_backend_pid()`);
    const inUse = `select 1 from pg_locks where locktype = 'advisory' and database =
      (select oid from pg_database where datname = current_database())`;
    const deadline = Date.now() + 60_000;
    for (;;) {
      const answer = await fetch(clusters);
      await answer.text();
      const { rowCount } = await other.query(inUse);
      if (answer.status === 200 && rowCount === 1) break;
      assert.ok(Date.now() < deadline, `${answer.status}, ${rowCount} in use`);
      await delay(50);
    }
    const alone = await useDatabase(database, { locks, isShared: false, timeoutMs: 0 });
    assert.equal(alone, undefined);
  } finally {
    await other.end();
    stop.abort();
    await running;
  }
});

for (const [name, database] of Object.entries(databases)) {
  test(`[VIP-6] 'install-service migrate' is refused while a service runs, and done when it is over: ${name}`, async () => {
    const url = await database();
    const served = Promise.withResolvers<void>();
    const service = await commands.start(
      [launcher, "install-service", "run", `--database=${url}`, "--listen=127.0.0.1:0"],
      {
        diesWithParent: true,
        onLine: (line) => {
          if (line.includes("serving")) served.resolve();
        },
      },
    );
    const migrate = () =>
      commands.run([
        launcher,
        "install-service",
        "migrate",
        "--to=0001-clusters",
        `--database=${url}`,
      ]);
    try {
      await served.promise;
      await assert.rejects(migrate(), /Cannot migrate the database: a service uses it/);
    } finally {
      await service.stop();
    }
    assert.match((await migrate()).stdout, /0002-vip-lists undone/);
  });
}
