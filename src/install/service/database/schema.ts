// The tables after the latest migration. Both databases have the same ones: texts and integers.

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
  /** Booleans, as 0 or 1. */
  user_managed_networking: number;
  vip_dhcp_allocation: number;
  /** The Kubernetes object that manages the cluster, if there is one. */
  kube_namespace: string | null;
  kube_name: string | null;
  /** The number of changes. */
  generation: number;
  /** The times in ISO 8601, UTC. */
  created_at: string;
  updated_at: string;
  /** The time of deletion, after which the row stays. */
  deleted_at: string | null;
}

/** A list of VIPs, one address per row; the positions of a cluster count from 0. */
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

/** The values that one schema has no place for, parked for a later migration. */
export interface ParkedVipTable {
  cluster_id: string;
  use: "api" | "ingress";
  position: number;
  text: string;
  reason: "second" | "malformed";
}
