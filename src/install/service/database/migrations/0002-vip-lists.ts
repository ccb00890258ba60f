// Migrates one VIP in a column to a list in a table, and back. Nothing is lost either way: values that a
// schema has no place for are parked, and restored by the next migration in the other direction.

import type { Kysely, Migration } from "kysely";
import { Address } from "../../../../base/net/address.ts";
import type { Finding } from "../finding.ts";
import type { ParkedVipTable, VipTable } from "../schema.ts";
import { type BothForms, columns, pagesOf } from "./vip-columns.ts";

export function vipLists(report: (finding: Finding) => void): Migration {
  return {
    async up(db: Kysely<BothForms>) {
      await createTables(db);
      const parked = await db.selectFrom("parked_vips").selectAll().execute();
      const rows = await db
        .selectFrom("clusters")
        .select(["id", "api_vip", "ingress_vip"])
        .orderBy("id")
        .execute();
      for (const { use, column, table } of columns) {
        const second = new Map(
          parked.filter((one) => one.use === use).map((one) => [one.cluster_id, one]),
        );
        const moved = rows.flatMap((row) =>
          listOf(row.id, row[column], { use, second: second.get(row.id), report }),
        );
        for (const page of pagesOf(moved.filter(isListed))) {
          await db.insertInto(table).values(page).execute();
        }
        for (const page of pagesOf(moved.filter(isParked))) {
          await db.insertInto("parked_vips").values(page).execute();
        }
        await forgetParked(db, use, table);
      }
      for (const { column } of columns) {
        await db.schema.alterTable("clusters").dropColumn(column).execute();
      }
    },

    async down(db: Kysely<BothForms>) {
      for (const { use, column, table } of columns) {
        await db.schema
          .alterTable("clusters")
          .addColumn(column, "text", (one) => one.notNull().defaultTo(""))
          .execute();
        await db
          .updateTable("clusters")
          .set((query) => ({
            [column]: query.fn.coalesce(
              query
                .selectFrom(table)
                .select("ip")
                .whereRef("cluster_id", "=", "clusters.id")
                .where("position", "=", 0),
              query
                .selectFrom("parked_vips")
                .select("text")
                .whereRef("cluster_id", "=", "clusters.id")
                .where("use", "=", use)
                .where("reason", "=", "malformed"),
              query.val(""),
            ),
          }))
          .execute();
        await db
          .deleteFrom("parked_vips")
          .where("use", "=", use)
          .where("reason", "=", "malformed")
          .execute();
        await forgetParked(db, use, table);
        await db
          .insertInto("parked_vips")
          .columns(["cluster_id", "use", "position", "text", "reason"])
          .expression((query) =>
            query
              .selectFrom(table)
              .select([
                "cluster_id",
                query.val(use).as("use"),
                "position",
                "ip",
                query.val("second").as("reason"),
              ])
              .where("position", ">", 0),
          )
          .execute();
        await db.schema.dropTable(table).execute();
      }
    },
  };
}

type Listed = Pick<VipTable, "cluster_id" | "ip" | "position">;

interface Surroundings {
  readonly use: "api" | "ingress";
  readonly second: ParkedVipTable | undefined;
  readonly report: (finding: Finding) => void;
}

/** Converts a column: to rows of the list, or to a parked row if it is no address. */
function listOf(
  cluster: string,
  text: string,
  { use, second, report }: Surroundings,
): (Listed | ParkedVipTable)[] {
  const first = Address.tryParse(text);
  if (text !== "" && first === undefined) {
    report({ cluster, use, text, problem: "is no address and was set aside" });
    return [{ cluster_id: cluster, use, position: 0, text, reason: "malformed" }];
  }
  const other = Address.tryParse(second?.text ?? "");
  const fits = first !== undefined && other !== undefined && first.family !== other.family;
  if (other !== undefined && !fits) {
    const beside = first === undefined ? "no VIP" : first.toString();
    report({
      cluster,
      use,
      text: other.toString(),
      problem: `stays aside: beside ${beside} it has no place`,
    });
  }
  return [...(first === undefined ? [] : [first]), ...(fits ? [other] : [])].map(
    (address, position) => ({ cluster_id: cluster, ip: address.toString(), position }),
  );
}

function isListed(row: Listed | ParkedVipTable): row is Listed {
  return "ip" in row;
}

function isParked(row: Listed | ParkedVipTable): row is ParkedVipTable {
  return !isListed(row);
}

async function createTables(db: Kysely<BothForms>): Promise<void> {
  for (const { table } of columns) {
    await db.schema
      .createTable(table)
      .addColumn("cluster_id", "text", (column) => column.notNull().references("clusters.id"))
      .addColumn("ip", "text", (column) => column.notNull())
      .addColumn("position", "integer", (column) => column.notNull())
      .addColumn("verification", "text", (column) => column.notNull().defaultTo("unverified"))
      .addPrimaryKeyConstraint(`${table}_key`, ["cluster_id", "ip"])
      .addUniqueConstraint(`${table}_position`, ["cluster_id", "position"])
      .execute();
  }
  await db.schema
    .createTable("parked_vips")
    .ifNotExists()
    .addColumn("cluster_id", "text", (column) => column.notNull().references("clusters.id"))
    .addColumn("use", "text", (column) => column.notNull())
    .addColumn("position", "integer", (column) => column.notNull())
    .addColumn("text", "text", (column) => column.notNull())
    .addColumn("reason", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("parked_vips_key", ["cluster_id", "use", "position"])
    .execute();
}

/** Deletes the parked second VIP of clusters whose list has a second one, restored or parked anew. */
async function forgetParked(
  db: Kysely<BothForms>,
  use: "api" | "ingress",
  table: "api_vips" | "ingress_vips",
): Promise<void> {
  await db
    .deleteFrom("parked_vips")
    .where("use", "=", use)
    .where("reason", "=", "second")
    .where("cluster_id", "in", (query) =>
      query.selectFrom(table).select("cluster_id").where("position", ">", 0),
    )
    .execute();
}
