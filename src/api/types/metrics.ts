// Made from the tables of src/api/schema by `make types`: change those.

import type { ListMeta, NamedMeta, NamespacedMeta } from "./meta.ts";

export interface ContainerMetrics {
  name: string;
  usage: Record<string, string>;
}

/** What a node uses at present. */
export interface NodeMetrics {
  apiVersion: "metrics.k8s.io/v1beta1";
  kind: "NodeMetrics";
  metadata: NamedMeta;
  timestamp: string;
  window: string;
  usage: Record<string, string>;
}

export interface NodeMetricsList {
  apiVersion: "metrics.k8s.io/v1beta1";
  kind: "NodeMetricsList";
  metadata: ListMeta;
  items: NodeMetrics[];
}

/** What the containers of a pod use at present. */
export interface PodMetrics {
  apiVersion: "metrics.k8s.io/v1beta1";
  kind: "PodMetrics";
  metadata: NamespacedMeta;
  timestamp: string;
  window: string;
  containers: ContainerMetrics[];
}

export interface PodMetricsList {
  apiVersion: "metrics.k8s.io/v1beta1";
  kind: "PodMetricsList";
  metadata: ListMeta;
  items: PodMetrics[];
}
