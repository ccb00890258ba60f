import { Kysely, PostgresDialect } from "kysely";
import { Pool } from "pg";
import type { Schema } from "./schema.ts";
import { NodeSqliteDialect } from "./sqlite.ts";

/** `sqlite:PATH` or `postgres://USER@HOST/DATABASE`; the migrations are the caller's to run. */
export function openDatabase(url: string): Kysely<Schema> {
  if (url.startsWith("sqlite:")) {
    return new Kysely({ dialect: new NodeSqliteDialect(url.slice("sqlite:".length)) });
  }
  if (/^postgres(ql)?:\/\//.test(url)) {
    return new Kysely({
      dialect: new PostgresDialect({ pool: new Pool({ connectionString: url, max: 10 }) }),
    });
  }
  throw new Error(`Cannot open database ${url}: it is neither sqlite:PATH nor postgres://…`);
}
