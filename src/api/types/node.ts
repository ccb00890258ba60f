// Made from the tables of src/api/schema by `make types`: change those.

import type { Toleration } from "./core.ts";
import type { ListMeta, NamedMeta } from "./meta.ts";

export interface Overhead {
  podFixed?: Record<string, string>;
}

/** A way to run containers that pods choose by name. */
export interface RuntimeClass {
  apiVersion: "node.k8s.io/v1";
  kind: "RuntimeClass";
  metadata: NamedMeta;
  handler: string;
  overhead?: Overhead;
  scheduling?: Scheduling;
}

export interface RuntimeClassList {
  apiVersion: "node.k8s.io/v1";
  kind: "RuntimeClassList";
  metadata: ListMeta;
  items: RuntimeClass[];
}

export interface Scheduling {
  nodeSelector?: Record<string, string>;
  tolerations?: Toleration[];
}
