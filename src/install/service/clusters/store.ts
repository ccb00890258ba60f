import type { Kysely, Selectable, Transaction } from "kysely";
import type { ClusterTable, Schema } from "../database/schema.ts";
import { changedMeanwhile, notFound } from "../errors.ts";
import type { Cluster, ClusterFields, KubeKey } from "./cluster.ts";
import { type Database, readLists, replaceLists } from "./lists.ts";

interface Options {
  readonly now: () => Date;
  readonly newId: () => string;
}

/** The clusters in a database. Deleted ones stay in it, but are not visible. */
export class ClusterStore {
  readonly #db: Kysely<Schema>;
  readonly #options: Options;

  constructor(db: Kysely<Schema>, options: Options) {
    this.#db = db;
    this.#options = options;
  }

  async create(fields: ClusterFields, kube?: KubeKey): Promise<Cluster> {
    const id = this.#options.newId();
    const now = this.#options.now().toISOString();
    return this.#db.transaction().execute(async (db) => {
      await db
        .insertInto("clusters")
        .values({
          id,
          ...columnsOf(fields),
          kube_namespace: kube?.namespace ?? null,
          kube_name: kube?.name ?? null,
          generation: 1,
          created_at: now,
          updated_at: now,
          deleted_at: null,
        })
        .execute();
      await replaceLists(db, id, fields);
      return read(db, id);
    });
  }

  get(id: string): Promise<Cluster> {
    return this.#db.transaction().execute((db) => read(db, id));
  }

  /** The clusters in order of creation. */
  async list(): Promise<Cluster[]> {
    return this.#db.transaction().execute(async (db) => {
      const rows = await present(db).orderBy("created_at").orderBy("id").execute();
      return complete(db, rows);
    });
  }

  async findByKube({ namespace, name }: KubeKey): Promise<Cluster | undefined> {
    return this.#db.transaction().execute(async (db) => {
      const rows = await present(db)
        .where("kube_namespace", "=", namespace)
        .where("kube_name", "=", name)
        .execute();
      return (await complete(db, rows))[0];
    });
  }

  /** The Kubernetes objects that manage clusters. */
  async kubeKeys(): Promise<KubeKey[]> {
    const clusters = await present(this.#db).where("kube_name", "is not", null).execute();
    return clusters.map(({ kube_namespace, kube_name }) => ({
      namespace: kube_namespace ?? "",
      name: kube_name ?? "",
    }));
  }

  /** Updates a cluster; fails when it is not of this generation any more. */
  async update(id: string, generation: number, fields: ClusterFields): Promise<Cluster> {
    return this.#db.transaction().execute(async (db) => {
      const change = { ...columnsOf(fields), updated_at: this.#options.now().toISOString() };
      await this.#change(db, { id, generation }, change);
      await replaceLists(db, id, fields);
      return read(db, id);
    });
  }

  async delete(id: string, generation: number): Promise<void> {
    const change = { deleted_at: this.#options.now().toISOString() };
    await this.#db.transaction().execute((db) => this.#change(db, { id, generation }, change));
  }

  async #change(
    db: Transaction<Schema>,
    { id, generation }: { readonly id: string; readonly generation: number },
    change: Partial<ClusterTable>,
  ): Promise<void> {
    const { numUpdatedRows } = await db
      .updateTable("clusters")
      .set({ ...change, generation: generation + 1 })
      .where("id", "=", id)
      .where("generation", "=", generation)
      .where("deleted_at", "is", null)
      .executeTakeFirst();
    if (numUpdatedRows > 0n) return;
    await read(db, id);
    throw changedMeanwhile(id, generation);
  }
}

function present(db: Database) {
  return db.selectFrom("clusters").selectAll().where("deleted_at", "is", null);
}

async function read(db: Database, id: string): Promise<Cluster> {
  const rows = await present(db).where("id", "=", id).execute();
  const [cluster] = await complete(db, rows);
  if (cluster === undefined) throw notFound(id);
  return cluster;
}

async function complete(
  db: Database,
  rows: readonly Selectable<ClusterTable>[],
): Promise<Cluster[]> {
  const lists = await readLists(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({ ...fieldsOf(row), ...lists(row.id) }));
}

function columnsOf(fields: ClusterFields) {
  const { name, base_dns_domain, openshift_version } = fields;
  return {
    name,
    base_dns_domain,
    openshift_version,
    user_managed_networking: fields.user_managed_networking ? 1 : 0,
    vip_dhcp_allocation: fields.vip_dhcp_allocation ? 1 : 0,
  };
}

function fieldsOf(row: Selectable<ClusterTable>) {
  const { kube_namespace, kube_name, deleted_at: _, ...rest } = row;
  return {
    ...rest,
    user_managed_networking: row.user_managed_networking === 1,
    vip_dhcp_allocation: row.vip_dhcp_allocation === 1,
    ...(kube_namespace !== null &&
      kube_name !== null && { kube: { namespace: kube_namespace, name: kube_name } }),
  };
}
