// What all machines of a cluster agree on. The first server writes it into the cluster, the others read it there.

import { Address } from "../../base/net/address.ts";
import { Prefix } from "../../base/net/prefix.ts";

export const routings = ["auto", "direct", "vxlan", "none"] as const;

const stores = ["embedded", "etcd", "own-etcd"] as const;

export interface ClusterNetwork {
  readonly podCidr: readonly Prefix[];
  readonly serviceCidr: readonly Prefix[];
  readonly network: "bridge" | "ptp";
  readonly ipam: "host-local" | "tandem";
  readonly route: (typeof routings)[number];
  /** Who keeps objects: the one server, an etcd of the operator's, or members of etcd that install runs. */
  readonly store: (typeof stores)[number];
  readonly proxyMode: "nftables" | "iptables" | "ipvs";
  /** Virtual addresses of the API and of ingress, one per family; none where there is one server. */
  readonly apiVips: readonly Address[];
  readonly ingressVips: readonly Address[];
}

/** The ConfigMap that has it, in the namespace of the system. */
export const clusterConfigMap = { namespace: "kube-system", name: "tandem-cluster" } as const;
const key = "network.json";

export function clusterData(network: ClusterNetwork): Record<string, string> {
  return { [key]: `${JSON.stringify(network, undefined, 2)}\n` };
}

/** The fields that are written as texts. */
type Written = Partial<
  Record<"podCidr" | "serviceCidr" | "apiVips" | "ingressVips", readonly string[]>
>;
/** Clusters of earlier versions do not tell their store. */
type WrittenNetwork = Written &
  Omit<ClusterNetwork, keyof Written | "store"> &
  Partial<Pick<ClusterNetwork, "store">>;

export function readClusterData(
  data: Readonly<Record<string, string>> | undefined,
): ClusterNetwork {
  const written = JSON.parse(data?.[key] ?? "{}") as WrittenNetwork;
  const texts = (name: keyof Written) => written[name] ?? [];
  if (texts("podCidr").length === 0) {
    const { namespace, name } = clusterConfigMap;
    throw new Error(`Cannot read the ConfigMap ${namespace}/${name}: it names no pod CIDR`);
  }
  return {
    ...written,
    store: written.store ?? "embedded",
    podCidr: texts("podCidr").map(Prefix.parse),
    serviceCidr: texts("serviceCidr").map(Prefix.parse),
    apiVips: texts("apiVips").map(Address.parse),
    ingressVips: texts("ingressVips").map(Address.parse),
  };
}
