// Made from the tables of src/api/schema by `make types`: change those.

import type { ListMeta, NamespacedMeta, ObjectMeta } from "./meta.ts";

export interface CrossVersionObjectReference {
  kind: string;
  name: string;
  apiVersion?: string;
}

/** How many replicas a workload has, by what is measured. */
export interface HorizontalPodAutoscaler {
  apiVersion: "autoscaling/v1";
  kind: "HorizontalPodAutoscaler";
  metadata: NamespacedMeta;
  spec: HorizontalPodAutoscalerSpec;
  status?: HorizontalPodAutoscalerStatus;
}

export interface HorizontalPodAutoscalerList {
  apiVersion: "autoscaling/v1";
  kind: "HorizontalPodAutoscalerList";
  metadata: ListMeta;
  items: HorizontalPodAutoscaler[];
}

export interface HorizontalPodAutoscalerSpec {
  scaleTargetRef: CrossVersionObjectReference;
  minReplicas?: number;
  maxReplicas: number;
  targetCPUUtilizationPercentage?: number;
}

export interface HorizontalPodAutoscalerStatus {
  observedGeneration?: number;
  lastScaleTime?: string;
  currentReplicas: number;
  desiredReplicas: number;
  currentCPUUtilizationPercentage?: number;
}

/** The replica count of an object, whatever its kind. */
export interface Scale {
  apiVersion?: "autoscaling/v1";
  kind?: "Scale";
  metadata?: ObjectMeta;
  spec: ScaleSpec;
  status?: ScaleStatus;
}

export interface ScaleSpec {
  replicas?: number;
}

export interface ScaleStatus {
  replicas: number;
  selector?: string;
}
