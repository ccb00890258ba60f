// The contract of the migration from one VIP in a column to lists in tables: up, down, and up again.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Kysely } from "kysely";
import { Address } from "../../../../base/net/address.ts";
import { migrate } from "../migrate.ts";
import { columns } from "../migrations/vip-columns.ts";
import { openDatabase } from "../open.ts";
import type { ClusterTable, Schema } from "../schema.ts";

/** A cluster of the schema before the lists. */
type OldCluster = ClusterTable & { api_vip: string; ingress_vip: string };

const malformed = [
  "garbage",
  "10.0.0.300",
  " 10.0.0.1",
  "10.0.0.1/24",
  "::ffff:10.0.0.1",
  "fe80::1%eth0",
];

export function migrationContract(
  name: string,
  options: { readonly clusters: number; readonly database: () => Promise<string> },
): void {
  const rows = Array.from({ length: options.clusters }, (_, n) => oldCluster(n));
  const expectedMalformed = rows.flatMap((row) =>
    columns.flatMap(({ use, column }) =>
      malformed.includes(row[column]) ? [`${row.id} ${use} ${row[column]}`] : [],
    ),
  );

  describe(`the migration of ${options.clusters} clusters on ${name}`, () => {
    test("[VIP-6] forward, back and forward again: nothing is lost, the malformed are reported", async () => {
      const db = openDatabase(await options.database());
      const old = db.withTables<{ clusters: OldCluster }>();
      try {
        await migrate(db, "0001-clusters");
        for (const page of pages(rows)) await old.insertInto("clusters").values(page).execute();

        const forward = await migrate(db);
        assert.deepEqual(reported(forward.findings), expectedMalformed.toSorted());
        const lists = await listsOf(db);
        for (const row of rows) assertMoved(row, lists);

        const seconds = rows.filter((row, n) => n % 3 === 0 && lists.has(`${row.id} api`));
        for (const page of pages(seconds)) await addSeconds(db, page, lists);
        const complete = await listsOf(db);

        const back = await migrate(db, "0001-clusters");
        assert.deepEqual(back.findings, []);
        const returned = await old.selectFrom("clusters").selectAll().orderBy("id").execute();
        assert.deepEqual(
          returned.map(({ id, api_vip, ingress_vip, deleted_at }) => [
            id,
            api_vip,
            ingress_vip,
            deleted_at,
          ]),
          rows
            .toSorted((a, b) => (a.id < b.id ? -1 : 1))
            .map((row) => [
              row.id,
              canonical(row.api_vip),
              canonical(row.ingress_vip),
              row.deleted_at,
            ]),
        );

        const again = await migrate(db);
        assert.deepEqual(reported(again.findings), expectedMalformed.toSorted());
        assert.deepEqual(await listsOf(db), complete);
      } finally {
        await db.destroy();
      }
    });

    test("[VIP-6] what changes in between decides whether a second VIP has its place again", async () => {
      const db = openDatabase(await options.database());
      const old = db.withTables<{ clusters: OldCluster }>();
      try {
        await migrate(db, "0001-clusters");
        const four = rows
          .slice(0, 4)
          .map((row) => ({ ...row, api_vip: "10.0.0.5", ingress_vip: "" }));
        await old.insertInto("clusters").values(four).execute();
        await migrate(db);
        const [kept = "", moved = "", cleared = "", turned = ""] = four.map(({ id }) => id);
        for (const cluster_id of [kept, moved, cleared, turned]) {
          await db
            .insertInto("api_vips")
            .values({ cluster_id, ip: "fd00::5", position: 1 })
            .execute();
        }
        await migrate(db, "0001-clusters");
        const change = (id: string, api_vip: string) =>
          old.updateTable("clusters").set({ api_vip }).where("id", "=", id).execute();
        await change(moved, "10.0.0.6");
        await change(cleared, "");
        await change(turned, "fd00::6");

        const { findings } = await migrate(db);
        const lists = await listsOf(db);
        assert.deepEqual(lists.get(`${kept} api`), ["10.0.0.5", "fd00::5"]);
        assert.deepEqual(lists.get(`${moved} api`), ["10.0.0.6", "fd00::5"]);
        assert.deepEqual(lists.get(`${cleared} api`), undefined);
        assert.deepEqual(lists.get(`${turned} api`), ["fd00::6"]);
        const aside = [cleared, turned].map((id) => `${id} api fd00::5`);
        assert.deepEqual(reported(findings), aside.toSorted());

        await migrate(db, "0001-clusters");
        await change(turned, "10.0.0.7");
        await migrate(db);
        assert.deepEqual(
          (await listsOf(db)).get(`${turned} api`),
          ["10.0.0.7", "fd00::5"],
          "it waited",
        );
      } finally {
        await db.destroy();
      }
    });
  });
}

function oldCluster(n: number): OldCluster {
  const time = new Date(n * 1000).toISOString();
  return {
    id: `cluster-${String(n).padStart(6, "0")}`,
    name: `cluster-${n}`,
    base_dns_domain: "example.com",
    openshift_version: "4.11",
    api_vip: oldVip(n),
    ingress_vip: oldVip(n + 3),
    user_managed_networking: 0,
    vip_dhcp_allocation: 0,
    kube_namespace: null,
    kube_name: null,
    generation: 1,
    created_at: time,
    updated_at: time,
    deleted_at: n % 7 === 0 ? time : null,
  };
}

/** An old VIP: IPv4, IPv6 in some spelling, none at all, and now and then something that is no address. */
function oldVip(n: number): string {
  if (n % 11 === 0) return malformed[(n / 11) % malformed.length] ?? "";
  const low = (n % 250) + 1;
  const kinds = [
    `10.${(n >> 8) % 256}.${n % 256}.${low}`,
    `FD00:0:${n.toString(16)}::0:${low}`,
    "",
  ];
  return kinds[n % 3] ?? "";
}

function canonical(text: string): string {
  return Address.tryParse(text)?.toString() ?? text;
}

function assertMoved(row: OldCluster, lists: ReadonlyMap<string, string[]>): void {
  for (const { use, column } of columns) {
    const address = Address.tryParse(row[column]);
    const expected = address === undefined ? undefined : [address.toString()];
    assert.deepEqual(lists.get(`${row.id} ${use}`), expected, `${row.id} ${use}`);
  }
}

async function addSeconds(
  db: Kysely<Schema>,
  rows: readonly { readonly id: string }[],
  lists: ReadonlyMap<string, string[]>,
): Promise<void> {
  const seconds = rows.map(({ id }) => {
    const isIPv4 = lists.get(`${id} api`)?.[0]?.includes(".") === true;
    return { cluster_id: id, ip: isIPv4 ? "fd00:2::5" : "10.200.0.5", position: 1 };
  });
  await db.insertInto("api_vips").values(seconds).execute();
}

/** The VIPs in order, by `cluster use`. */
async function listsOf(db: Kysely<Schema>): Promise<Map<string, string[]>> {
  const lists = new Map<string, string[]>();
  for (const { use, table } of columns) {
    const rows = await db
      .selectFrom(table)
      .selectAll()
      .orderBy("cluster_id")
      .orderBy("position")
      .execute();
    for (const { cluster_id, ip, position } of rows) {
      const list = lists.get(`${cluster_id} ${use}`) ?? [];
      assert.equal(position, list.length);
      lists.set(`${cluster_id} ${use}`, [...list, ip]);
    }
  }
  return lists;
}

function reported(findings: readonly { cluster: string; use: string; text: string }[]): string[] {
  return findings.map(({ cluster, use, text }) => `${cluster} ${use} ${text}`).toSorted();
}

function* pages<T>(rows: readonly T[]): Generator<T[]> {
  for (let start = 0; start < rows.length; start += 500) yield rows.slice(start, start + 500);
}
