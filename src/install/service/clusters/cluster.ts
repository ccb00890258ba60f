// A cluster to be installed, in the words of the service's REST API.

/** What its owner decides. */
export interface ClusterFields {
  readonly name: string;
  readonly base_dns_domain: string;
  readonly openshift_version: string;
  /** In order; the first one has the cluster's primary family. */
  readonly api_vips: readonly string[];
  readonly ingress_vips: readonly string[];
  readonly machine_networks: readonly string[];
  readonly cluster_networks: readonly ClusterNetwork[];
  readonly service_networks: readonly string[];
  /** Somebody else takes care of load balancing and of its addresses. */
  readonly user_managed_networking: boolean;
  /** VIPs come from a DHCP server. */
  readonly vip_dhcp_allocation: boolean;
}

export interface ClusterNetwork {
  readonly cidr: string;
  readonly host_prefix: number;
}

export interface Cluster extends ClusterFields {
  readonly id: string;
  /** Counts the changes: who writes may say which one was read. */
  readonly generation: number;
  readonly created_at: string;
  readonly updated_at: string;
  /** The Kubernetes object it is kept in step with. */
  readonly kube?: KubeKey;
}

export interface KubeKey {
  readonly namespace: string;
  readonly name: string;
}

/** As it is answered: with the deprecated fields that old clients know. */
export function clusterDocument(cluster: Cluster): object {
  const { api_vips, ingress_vips, machine_networks, service_networks, kube, ...rest } = cluster;
  const { id: cluster_id } = cluster;
  const vips = (list: readonly string[]) =>
    list.map((ip) => ({ cluster_id, ip, verification: "unverified" }));
  const networks = (list: readonly string[]) => list.map((cidr) => ({ cluster_id, cidr }));
  return {
    kind: "Cluster",
    ...rest,
    cluster_networks: cluster.cluster_networks.map((one) => ({ cluster_id, ...one })),
    machine_networks: networks(machine_networks),
    service_networks: networks(service_networks),
    api_vip: api_vips[0] ?? "",
    api_vips: vips(api_vips),
    ingress_vip: ingress_vips[0] ?? "",
    ingress_vips: vips(ingress_vips),
    ...(kube !== undefined && { kube_key_namespace: kube.namespace, kube_key_name: kube.name }),
  };
}
