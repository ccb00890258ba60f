// A cluster to be installed, with the field names of the service's REST API.

/** The fields that the cluster's owner decides. */
export interface ClusterFields {
  readonly name: string;
  readonly base_dns_domain: string;
  readonly openshift_version: string;
  /** The VIPs in order; the first one has the cluster's primary family. */
  readonly api_vips: readonly string[];
  readonly ingress_vips: readonly string[];
  readonly machine_networks: readonly string[];
  readonly cluster_networks: readonly ClusterNetwork[];
  readonly service_networks: readonly string[];
  /** Whether the user runs the load balancing and manages its addresses. */
  readonly user_managed_networking: boolean;
  /** Whether VIPs come from a DHCP server. */
  readonly vip_dhcp_allocation: boolean;
}

export interface ClusterNetwork {
  readonly cidr: string;
  readonly host_prefix: number;
}

export interface Cluster extends ClusterFields {
  readonly id: string;
  /** The number of changes, which clients can send back as a precondition of writes. */
  readonly generation: number;
  readonly created_at: string;
  readonly updated_at: string;
  /** The Kubernetes object that manages the cluster. */
  readonly kube?: KubeKey;
}

export interface KubeKey {
  readonly namespace: string;
  readonly name: string;
}

/** The cluster as the API returns it: with the deprecated fields that old clients know. */
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
