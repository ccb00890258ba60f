// The tables, as the latest migration leaves them. Both databases have the same: texts and integers.

import type { Generated } from "kysely";

export interface Schema {
  clusters: ClusterTable;
  api_vips: VipTable;
  ingress_vips: VipTable;
  machine_networks: NetworkTable;
  cluster_networks: NetworkTable & { host_prefix: number };
  service_networks: NetworkTable;
  parked_vips: ParkedVipTable;
}

export interface ClusterTable {
  id: string;
  name: string;
  base_dns_domain: string;
  openshift_version: string;
  /** 0 or 1. */
  user_managed_networking: number;
  vip_dhcp_allocation: number;
  /** The object this cluster is kept in step with, if it is. */
  kube_namespace: string | null;
  kube_name: string | null;
  /** Counts the changes. */
  generation: number;
  /** ISO 8601, in UTC. */
  created_at: string;
  updated_at: string;
  /** Set when it is deleted: the row stays. */
  deleted_at: string | null;
}

/** One address a row; the positions of a cluster count from 0. */
export interface VipTable {
  cluster_id: string;
  ip: string;
  position: number;
  verification: Generated<string>;
}

export interface NetworkTable {
  cluster_id: string;
  cidr: string;
  position: number;
}

/** What a form of the other tables has no place for, kept for the next one. */
export interface ParkedVipTable {
  cluster_id: string;
  use: "api" | "ingress";
  position: number;
  text: string;
  reason: "second" | "malformed";
}
