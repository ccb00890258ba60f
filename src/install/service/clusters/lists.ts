// The lists of a cluster: each element is a row with its position.

import type { Kysely, Transaction } from "kysely";
import type { Schema } from "../database/schema.ts";
import type { ClusterFields } from "./cluster.ts";

export type Database = Kysely<Schema> | Transaction<Schema>;

type Lists = Pick<ClusterFields, (typeof listTables)[number]>;

const vipTables = ["api_vips", "ingress_vips"] as const;
const networkTables = ["machine_networks", "service_networks"] as const;
const listTables = [...vipTables, ...networkTables, "cluster_networks"] as const;

/** The number of clusters per query. */
const pageSize = 500;

/** The lists of these clusters, by cluster. */
export async function readLists(
  db: Database,
  ids: readonly string[],
): Promise<(id: string) => Lists> {
  const found = {
    api_vips: new Map<string, string[]>(),
    ingress_vips: new Map<string, string[]>(),
    machine_networks: new Map<string, string[]>(),
    service_networks: new Map<string, string[]>(),
    cluster_networks: new Map<string, { cidr: string; host_prefix: number }[]>(),
  };
  for (let start = 0; start < ids.length; start += pageSize) {
    const page = ids.slice(start, start + pageSize);
    for (const table of vipTables) {
      const query = db.selectFrom(table).select(["cluster_id", "ip"]);
      const rows = await query.where("cluster_id", "in", page).orderBy("position").execute();
      for (const { cluster_id, ip } of rows) append(found[table], cluster_id, ip);
    }
    for (const table of networkTables) {
      const query = db.selectFrom(table).select(["cluster_id", "cidr"]);
      const rows = await query.where("cluster_id", "in", page).orderBy("position").execute();
      for (const { cluster_id, cidr } of rows) append(found[table], cluster_id, cidr);
    }
    const query = db.selectFrom("cluster_networks").select(["cluster_id", "cidr", "host_prefix"]);
    const rows = await query.where("cluster_id", "in", page).orderBy("position").execute();
    for (const { cluster_id, ...network } of rows) {
      append(found.cluster_networks, cluster_id, network);
    }
  }
  return (id) => ({
    api_vips: found.api_vips.get(id) ?? [],
    ingress_vips: found.ingress_vips.get(id) ?? [],
    machine_networks: found.machine_networks.get(id) ?? [],
    service_networks: found.service_networks.get(id) ?? [],
    cluster_networks: found.cluster_networks.get(id) ?? [],
  });
}

export async function replaceLists(
  db: Transaction<Schema>,
  cluster_id: string,
  lists: Lists,
): Promise<void> {
  for (const table of listTables) {
    await db.deleteFrom(table).where("cluster_id", "=", cluster_id).execute();
  }
  for (const table of vipTables) {
    const rows = lists[table].map((ip, position) => ({ cluster_id, ip, position }));
    if (rows.length > 0) await db.insertInto(table).values(rows).execute();
  }
  for (const table of networkTables) {
    const rows = lists[table].map((cidr, position) => ({ cluster_id, cidr, position }));
    if (rows.length > 0) await db.insertInto(table).values(rows).execute();
  }
  const networks = lists.cluster_networks.map((one, position) => ({
    cluster_id,
    position,
    ...one,
  }));
  if (networks.length > 0) await db.insertInto("cluster_networks").values(networks).execute();
}

function append<T>(lists: Map<string, T[]>, id: string, element: T): void {
  const list = lists.get(id);
  if (list === undefined) lists.set(id, [element]);
  else list.push(element);
}
