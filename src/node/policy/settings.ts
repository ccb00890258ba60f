import { type Family, families } from "../../base/net/family.ts";
import type { ListenAddress } from "../../base/program/listen.system.ts";

export interface PolicySettings {
  /** The name of this node. */
  readonly node: string;
  /** The families that policies are enforced for. */
  readonly families: readonly Family[];
  /** Whether traffic of addresses in the node's pod CIDRs that belong to no known pod is dropped. */
  readonly holdsUnknown: boolean;
  /** The network interfaces that lead to pods. */
  readonly podLinks: readonly string[];
  /** Whether pods may be behind a bridge: rules see packets between them only by way of br_netfilter. */
  readonly mayBridge: boolean;
  /** The addresses on which health and metrics are served. */
  readonly healthAddress: readonly ListenAddress[];
}

/** The defaults of all settings but the node's name. */
export const defaultPolicySettings: Omit<PolicySettings, "node"> = {
  families,
  holdsUnknown: false,
  podLinks: [],
  mayBridge: true,
  healthAddress: [],
};
