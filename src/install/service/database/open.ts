import { Kysely, PostgresDialect } from "kysely";
import { Pool } from "pg";
import type { Schema } from "./schema.ts";
import { NodeSqliteDialect } from "./sqlite.system.ts";

/** Opens `sqlite:PATH` or `postgres://USER@HOST/DATABASE`; the caller runs the migrations. */
export function openDatabase(url: string): Kysely<Schema> {
  if (url.startsWith("sqlite:")) {
    return new Kysely({ dialect: new NodeSqliteDialect(url.slice("sqlite:".length)) });
  }
  if (/^postgres(ql)?:\/\//.test(url)) {
    const pool = new Pool({ connectionString: url, max: 10 });
    // The pool replaces an idle connection that breaks; without a listener the process would end.
    pool.on("error", () => undefined);
    return new Kysely({ dialect: new PostgresDialect({ pool }) });
  }
  throw new Error(`Cannot open database ${url}: it is neither sqlite:PATH nor postgres://…`);
}
