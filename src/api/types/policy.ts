// Made from the tables of src/api/schema by `make types`: change those.

import type {
  Condition,
  DeleteOptions,
  LabelSelector,
  ListMeta,
  NamespacedMeta,
  ObjectMeta,
} from "./meta.ts";

/** Asks for a pod's removal, subject to disruption budgets. */
export interface Eviction {
  apiVersion?: "policy/v1";
  kind?: "Eviction";
  metadata?: ObjectMeta;
  deleteOptions?: DeleteOptions;
}

/** How many pods of a group may be evicted at once. */
export interface PodDisruptionBudget {
  apiVersion: "policy/v1";
  kind: "PodDisruptionBudget";
  metadata: NamespacedMeta;
  spec: PodDisruptionBudgetSpec;
  status?: PodDisruptionBudgetStatus;
}

export interface PodDisruptionBudgetList {
  apiVersion: "policy/v1";
  kind: "PodDisruptionBudgetList";
  metadata: ListMeta;
  items: PodDisruptionBudget[];
}

export interface PodDisruptionBudgetSpec {
  minAvailable?: number | string;
  selector?: LabelSelector;
  maxUnavailable?: number | string;
  unhealthyPodEvictionPolicy?: "AlwaysAllow" | "IfHealthyBudget";
}

export interface PodDisruptionBudgetStatus {
  observedGeneration?: number;
  disruptedPods?: Record<string, string>;
  disruptionsAllowed?: number;
  currentHealthy?: number;
  desiredHealthy?: number;
  expectedPods?: number;
  conditions?: Condition[];
}
