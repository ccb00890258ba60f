import { type Family, families } from "../../base/net/family.ts";
import type { ListenAddress } from "../../base/program/listen.ts";

export interface PolicySettings {
  /** The name of the node this runs on. */
  readonly node: string;
  /** Those to keep policies of. */
  readonly families: readonly Family[];
  /** Who has an address in the node's pod CIDRs and is no pod that is known gets nowhere. */
  readonly holdsUnknown: boolean;
  /** Links that lead to pods. */
  readonly podLinks: readonly string[];
  /** Where the state and metrics are served. */
  readonly healthAddress: readonly ListenAddress[];
}

/** All but the name of the node. */
export const defaultPolicySettings: Omit<PolicySettings, "node"> = {
  families,
  holdsUnknown: false,
  podLinks: [],
  healthAddress: [],
};
