// Made from the tables of src/api/schema by `make types`: change those.

import type { PersistentVolumeClaim, PodTemplateSpec } from "./core.ts";
import type { LabelSelector, ListMeta, NamespacedMeta } from "./meta.ts";

/** A former state of a DaemonSet or StatefulSet, to go back to. */
export interface ControllerRevision {
  apiVersion: "apps/v1";
  kind: "ControllerRevision";
  metadata: NamespacedMeta;
  data?: unknown;
  revision: number;
}

export interface ControllerRevisionList {
  apiVersion: "apps/v1";
  kind: "ControllerRevisionList";
  metadata: ListMeta;
  items: ControllerRevision[];
}

/** Keeps one pod on every matching node. */
export interface DaemonSet {
  apiVersion: "apps/v1";
  kind: "DaemonSet";
  metadata: NamespacedMeta;
  spec: DaemonSetSpec;
  status?: DaemonSetStatus;
}

export interface DaemonSetCondition {
  type: string;
  status: string;
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

export interface DaemonSetList {
  apiVersion: "apps/v1";
  kind: "DaemonSetList";
  metadata: ListMeta;
  items: DaemonSet[];
}

export interface DaemonSetSpec {
  selector: LabelSelector;
  template: PodTemplateSpec;
  updateStrategy?: DaemonSetUpdateStrategy;
  minReadySeconds?: number;
  revisionHistoryLimit?: number;
}

export interface DaemonSetStatus {
  currentNumberScheduled: number;
  numberMisscheduled: number;
  desiredNumberScheduled: number;
  numberReady: number;
  observedGeneration?: number;
  updatedNumberScheduled?: number;
  numberAvailable?: number;
  numberUnavailable?: number;
  collisionCount?: number;
  conditions?: DaemonSetCondition[];
}

export interface DaemonSetUpdateStrategy {
  type?: "OnDelete" | "RollingUpdate";
  rollingUpdate?: RollingUpdateDaemonSet;
}

/** Rolls a set of equal pods from one version to the next. */
export interface Deployment {
  apiVersion: "apps/v1";
  kind: "Deployment";
  metadata: NamespacedMeta;
  spec: DeploymentSpec;
  status?: DeploymentStatus;
}

export interface DeploymentCondition {
  type: string;
  status: string;
  lastUpdateTime?: string;
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

export interface DeploymentList {
  apiVersion: "apps/v1";
  kind: "DeploymentList";
  metadata: ListMeta;
  items: Deployment[];
}

export interface DeploymentSpec {
  replicas?: number;
  selector: LabelSelector;
  template: PodTemplateSpec;
  strategy?: DeploymentStrategy;
  minReadySeconds?: number;
  revisionHistoryLimit?: number;
  paused?: boolean;
  progressDeadlineSeconds?: number;
}

export interface DeploymentStatus {
  observedGeneration?: number;
  replicas?: number;
  updatedReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  unavailableReplicas?: number;
  terminatingReplicas?: number;
  conditions?: DeploymentCondition[];
  collisionCount?: number;
}

export interface DeploymentStrategy {
  type?: "Recreate" | "RollingUpdate";
  rollingUpdate?: RollingUpdateDeployment;
}

/** Keeps a number of equal pods running. */
export interface ReplicaSet {
  apiVersion: "apps/v1";
  kind: "ReplicaSet";
  metadata: NamespacedMeta;
  spec: ReplicaSetSpec;
  status?: ReplicaSetStatus;
}

export interface ReplicaSetCondition {
  type: string;
  status: string;
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

export interface ReplicaSetList {
  apiVersion: "apps/v1";
  kind: "ReplicaSetList";
  metadata: ListMeta;
  items: ReplicaSet[];
}

export interface ReplicaSetSpec {
  replicas?: number;
  minReadySeconds?: number;
  selector: LabelSelector;
  template?: PodTemplateSpec;
}

export interface ReplicaSetStatus {
  replicas: number;
  fullyLabeledReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  terminatingReplicas?: number;
  observedGeneration?: number;
  conditions?: ReplicaSetCondition[];
}

export interface RollingUpdateDaemonSet {
  maxUnavailable?: number | string;
  maxSurge?: number | string;
}

export interface RollingUpdateDeployment {
  maxUnavailable?: number | string;
  maxSurge?: number | string;
}

export interface RollingUpdateStatefulSetStrategy {
  partition?: number;
  maxUnavailable?: number | string;
}

/** Keeps numbered pods with stable names running. */
export interface StatefulSet {
  apiVersion: "apps/v1";
  kind: "StatefulSet";
  metadata: NamespacedMeta;
  spec: StatefulSetSpec;
  status?: StatefulSetStatus;
}

export interface StatefulSetCondition {
  type: string;
  status: string;
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

export interface StatefulSetList {
  apiVersion: "apps/v1";
  kind: "StatefulSetList";
  metadata: ListMeta;
  items: StatefulSet[];
}

export interface StatefulSetOrdinals {
  start?: number;
}

export interface StatefulSetPersistentVolumeClaimRetentionPolicy {
  whenDeleted?: "Retain" | "Delete";
  whenScaled?: "Retain" | "Delete";
}

export interface StatefulSetSpec {
  replicas?: number;
  selector: LabelSelector;
  template: PodTemplateSpec;
  volumeClaimTemplates?: PersistentVolumeClaim[];
  serviceName?: string;
  podManagementPolicy?: "OrderedReady" | "Parallel";
  updateStrategy?: StatefulSetUpdateStrategy;
  revisionHistoryLimit?: number;
  minReadySeconds?: number;
  persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicy;
  ordinals?: StatefulSetOrdinals;
}

export interface StatefulSetStatus {
  observedGeneration?: number;
  replicas: number;
  readyReplicas?: number;
  currentReplicas?: number;
  updatedReplicas?: number;
  currentRevision?: string;
  updateRevision?: string;
  collisionCount?: number;
  conditions?: StatefulSetCondition[];
  availableReplicas?: number;
}

export interface StatefulSetUpdateStrategy {
  type?: "OnDelete" | "RollingUpdate";
  rollingUpdate?: RollingUpdateStatefulSetStrategy;
}
