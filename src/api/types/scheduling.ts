// Made from the tables of src/api/schema by `make types`: change those.

import type { ListMeta, NamedMeta } from "./meta.ts";

/** A priority that pods name, and whether they displace others for it. */
export interface PriorityClass {
  apiVersion: "scheduling.k8s.io/v1";
  kind: "PriorityClass";
  metadata: NamedMeta;
  value?: number;
  globalDefault?: boolean;
  description?: string;
  preemptionPolicy?: "Never" | "PreemptLowerPriority";
}

export interface PriorityClassList {
  apiVersion: "scheduling.k8s.io/v1";
  kind: "PriorityClassList";
  metadata: ListMeta;
  items: PriorityClass[];
}
