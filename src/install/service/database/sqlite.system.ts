import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { SqliteAdapter, type SqliteDatabase, SqliteDialect, type SqliteStatement } from "kysely";

/** Kysely's SQLite dialect on Node's built-in SQLite; the file and its folder are created when missing. */
export class NodeSqliteDialect extends SqliteDialect {
  constructor(path: string) {
    super({ database: async () => open(path) });
  }

  override createAdapter(): SqliteAdapter {
    return new TransactionalAdapter();
  }
}

/** Makes each migration a transaction: SQLite supports that, though Kysely does not use it. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): true {
    return true;
  }
}

function open(path: string): SqliteDatabase {
  if (path !== ":memory:") mkdirSync(dirname(path), { recursive: true });
  const database = new DatabaseSync(path, { timeout: 5_000 });
  database.exec("pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on");
  return {
    close: () => database.close(),
    prepare: (sql) => new Statement(database.prepare(sql)),
  };
}

class Statement implements SqliteStatement {
  readonly #statement: StatementSync;
  readonly reader: boolean;

  constructor(statement: StatementSync) {
    this.#statement = statement;
    this.reader = statement.columns().length > 0;
  }

  all(parameters: readonly unknown[]): unknown[] {
    return this.#statement.all(...(parameters as SQLInputValue[]));
  }

  run(parameters: readonly unknown[]): {
    changes: number | bigint;
    lastInsertRowid: number | bigint;
  } {
    return this.#statement.run(...(parameters as SQLInputValue[]));
  }

  iterate(parameters: readonly unknown[]): IterableIterator<unknown> {
    return this.#statement.iterate(...(parameters as SQLInputValue[]));
  }
}
