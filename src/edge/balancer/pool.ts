// AddressPool: where load balancers have their addresses.

import type { ResourceDefinition } from "../../api/client/definition.ts";
import type { LabelSelector, NamedMeta } from "../../api/types/meta.ts";
import type { Family } from "../../base/net/family.ts";

export interface AddressPool {
  apiVersion: string;
  kind: string;
  metadata: NamedMeta;
  spec: AddressPoolSpec;
  status?: AddressPoolStatus;
}

export interface AddressPoolSpec {
  /** Prefixes and ranges of either family: "192.0.2.0/28", "2001:db8::10-2001:db8::1f". */
  addresses: string[];
  /** Whether addresses are given to services that do not ask for them; true when not given. */
  autoAssign?: boolean;
  /** Which services may have them; all when not given. */
  serviceSelector?: LabelSelector;
  /** Services of which namespaces may have them; of all when not given. */
  namespaceSelector?: LabelSelector;
}

export interface AddressPoolStatus {
  families?: FamilyUse[];
  /** What of the spec cannot be used. */
  problems?: string[];
}

export interface FamilyUse {
  family: Family;
  /** In decimal: more than a number can hold exactly. */
  total: string;
  used: number;
}

export const addressPools: ResourceDefinition = {
  group: "tandem.internal",
  version: "v1",
  plural: "addresspools",
  kind: "AddressPool",
  namespaced: false,
};
