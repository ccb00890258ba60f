import type { Address } from "../../base/net/address.ts";
import type { Prefix } from "../../base/net/prefix.ts";
import type { Platform, VipUse } from "./platforms.ts";

/** What is left of an install-config once it is known to be right, deprecated fields converted. */
export interface InstallConfig {
  readonly name: string;
  readonly baseDomain: string;
  readonly platform: Platform;
  readonly vips: Readonly<Record<VipUse, readonly Address[]>>;
  /** Somebody else's load balancer has the VIPs. */
  readonly hasOwnLoadBalancer: boolean;
  readonly networking: Networking;
  readonly controlPlaneReplicas: number;
  readonly hosts: readonly Host[];
}

export interface Networking {
  readonly networkType: string;
  readonly machineNetwork: readonly Prefix[];
  readonly clusterNetwork: readonly ClusterNetwork[];
  readonly serviceNetwork: readonly Prefix[];
}

export interface ClusterNetwork {
  readonly cidr: Prefix;
  /** Length of the prefix each node gets; none when the network plugin has no use for it. */
  readonly hostPrefix?: number;
}

export interface Host {
  readonly name: string;
  readonly role: HostRole;
  /** The interface that has addresses in the machine networks, where the host says so. */
  readonly interface?: string;
  readonly addresses: readonly Address[];
}

export type HostRole = "master" | "worker";
