import type { Address } from "../../base/net/address.ts";
import type { Prefix } from "../../base/net/prefix.ts";
import type { ListenAddress } from "../../base/program/listen.system.ts";
import type { Registry } from "../../base/program/metrics.ts";
import type { RouteMode } from "../../node/network/network.ts";
import type { ProxyMode } from "../../node/proxy/modes.ts";
import type { NodePlace } from "../../node/status/status.ts";
import type { JoinSettings, Membership } from "./join.ts";
import type { PodsSettings } from "./pods.ts";

export interface AgentSettings extends JoinSettings, PodsSettings {
  readonly nodeName?: string | undefined;
  readonly nodeIp: readonly Address[];
  readonly nodeLabels: readonly string[];
  readonly registerWithTaints: readonly string[];
  readonly maxPods: number;
  readonly port: number;
  readonly podCidr: readonly Prefix[];
  readonly clusterCidr: readonly Prefix[];
  readonly network: "bridge" | "ptp";
  readonly ipam: "host-local" | "tandem";
  readonly cniConfDir?: string | undefined;
  readonly cniBinDir: readonly string[];
  readonly cniDataDir?: string | undefined;
  readonly route: RouteMode;
  readonly masquerade: boolean;
  readonly nonMasqueradeCidr: readonly Prefix[];
  readonly proxyMode: ProxyMode | "none";
  readonly policies: boolean;
  /** Whether this node announces addresses of load balancers. */
  readonly announce: boolean;
  readonly healthAddress: readonly ListenAddress[];
}

export interface NodeParts {
  readonly name: string;
  readonly places: readonly NodePlace[];
  readonly metrics: Registry;
  readonly membership: Membership;
}
