import type { Address } from "../../base/net/address.ts";
import type { Prefix } from "../../base/net/prefix.ts";
import type { Platform, VipUse } from "./platforms.ts";

/** A validated install-config, with deprecated fields converted. */
export interface InstallConfig {
  readonly name: string;
  readonly baseDomain: string;
  readonly platform: Platform;
  readonly vips: Readonly<Record<VipUse, readonly Address[]>>;
  /** Whether the VIPs are on a load balancer that the user runs. */
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
  /** The length of the prefix that each node gets; absent when the network plugin has no use for it. */
  readonly hostPrefix?: number;
}

export interface Host {
  readonly name: string;
  readonly role: HostRole;
  /** The interface that has addresses in the machine networks, if the host's configuration tells. */
  readonly interface?: string;
  readonly addresses: readonly Address[];
}

export type HostRole = "master" | "worker";
