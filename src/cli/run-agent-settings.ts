import type { NodePlace } from "../agent/node/addresses.ts";
import type { RouteMode } from "../agent/node/routes/plan.ts";
import type { Address } from "../net/address.ts";
import type { Prefix } from "../net/prefix.ts";
import type { ListenAddress } from "../program/listen.ts";
import type { Registry } from "../program/metrics.ts";
import type { ProxyMode } from "../proxy/modes.ts";
import type { JoinSettings, Membership } from "./run-agent-join.ts";
import type { PodsSettings } from "./run-agent-pods.ts";

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
  readonly route: RouteMode;
  readonly masquerade: boolean;
  readonly nonMasqueradeCidr: readonly Prefix[];
  readonly proxyMode: ProxyMode | "none";
  readonly healthAddress: readonly ListenAddress[];
}

export interface NodeParts {
  readonly name: string;
  readonly places: readonly NodePlace[];
  readonly metrics: Registry;
  readonly membership: Membership;
}
