import type { Kysely, Migration } from "kysely";

/** Creates clusters with one VIP for each use, as the first schema had them. */
export const clusters: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable("clusters")
      .addColumn("id", "text", (column) => column.primaryKey())
      .addColumn("name", "text", (column) => column.notNull())
      .addColumn("base_dns_domain", "text", (column) => column.notNull())
      .addColumn("openshift_version", "text", (column) => column.notNull())
      .addColumn("api_vip", "text", (column) => column.notNull().defaultTo(""))
      .addColumn("ingress_vip", "text", (column) => column.notNull().defaultTo(""))
      .addColumn("user_managed_networking", "integer", (column) => column.notNull())
      .addColumn("vip_dhcp_allocation", "integer", (column) => column.notNull())
      .addColumn("kube_namespace", "text")
      .addColumn("kube_name", "text")
      .addColumn("generation", "integer", (column) => column.notNull())
      .addColumn("created_at", "text", (column) => column.notNull())
      .addColumn("updated_at", "text", (column) => column.notNull())
      .addColumn("deleted_at", "text")
      .execute();
    for (const table of ["machine_networks", "cluster_networks", "service_networks"]) {
      const base = db.schema
        .createTable(table)
        .addColumn("cluster_id", "text", (column) => column.notNull().references("clusters.id"))
        .addColumn("cidr", "text", (column) => column.notNull())
        .addColumn("position", "integer", (column) => column.notNull())
        .addPrimaryKeyConstraint(`${table}_key`, ["cluster_id", "position"]);
      const isClusterNetwork = table === "cluster_networks";
      await (isClusterNetwork
        ? base.addColumn("host_prefix", "integer", (column) => column.notNull())
        : base
      ).execute();
    }
  },
  async down(db: Kysely<unknown>) {
    const tables = ["machine_networks", "cluster_networks", "service_networks", "clusters"];
    for (const table of tables) await db.schema.dropTable(table).execute();
  },
};
