// AddressPool: the addresses that load balancers may get.

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
  /** The prefixes and ranges of either family: "192.0.2.0/28", "2001:db8::10-2001:db8::1f". */
  addresses: string[];
  /** Whether services that do not request addresses get them from this pool; true when not given. */
  autoAssign?: boolean;
  /** The services that may use the pool; all when not given. */
  serviceSelector?: LabelSelector;
  /** The namespaces whose services may use the pool; all when not given. */
  namespaceSelector?: LabelSelector;
}

export interface AddressPoolStatus {
  families?: FamilyUse[];
  /** The parts of the spec that cannot be used, and why. */
  problems?: string[];
}

export interface FamilyUse {
  family: Family;
  /** The number of addresses in decimal, as text: it may exceed what a number holds exactly. */
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
