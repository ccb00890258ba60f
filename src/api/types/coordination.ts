// Made from the tables of src/api/schema by `make types`: change those.

import type { ListMeta, NamespacedMeta } from "./meta.ts";

/** A claim that runs out unless it is renewed: heartbeats and leader election. */
export interface Lease {
  apiVersion: "coordination.k8s.io/v1";
  kind: "Lease";
  metadata: NamespacedMeta;
  spec: LeaseSpec;
}

export interface LeaseList {
  apiVersion: "coordination.k8s.io/v1";
  kind: "LeaseList";
  metadata: ListMeta;
  items: Lease[];
}

export interface LeaseSpec {
  holderIdentity?: string;
  leaseDurationSeconds?: number;
  acquireTime?: string;
  renewTime?: string;
  leaseTransitions?: number;
  strategy?: string;
  preferredHolder?: string;
}
