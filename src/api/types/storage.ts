// Made from the tables of src/api/schema by `make types`: change those.

import type { PersistentVolumeSpec, TopologySelectorTerm } from "./core.ts";
import type { LabelSelector, ListMeta, NamedMeta, NamespacedMeta } from "./meta.ts";

/** What a storage driver needs and can do. */
export interface CSIDriver {
  apiVersion: "storage.k8s.io/v1";
  kind: "CSIDriver";
  metadata: NamedMeta;
  spec: CSIDriverSpec;
}

export interface CSIDriverList {
  apiVersion: "storage.k8s.io/v1";
  kind: "CSIDriverList";
  metadata: ListMeta;
  items: CSIDriver[];
}

export interface CSIDriverSpec {
  attachRequired?: boolean;
  podInfoOnMount?: boolean;
  volumeLifecycleModes?: ("Ephemeral" | "Persistent")[];
  storageCapacity?: boolean;
  fsGroupPolicy?: "File" | "None" | "ReadWriteOnceWithFSType";
  tokenRequests?: TokenRequest[];
  requiresRepublish?: boolean;
  seLinuxMount?: boolean;
  nodeAllocatableUpdatePeriodSeconds?: number;
  serviceAccountTokenInSecrets?: boolean;
  preventPodSchedulingIfMissing?: boolean;
}

/** The storage drivers of a node. */
export interface CSINode {
  apiVersion: "storage.k8s.io/v1";
  kind: "CSINode";
  metadata: NamedMeta;
  spec: CSINodeSpec;
}

export interface CSINodeDriver {
  name: string;
  nodeID: string;
  topologyKeys?: string[];
  allocatable?: VolumeNodeResources;
}

export interface CSINodeList {
  apiVersion: "storage.k8s.io/v1";
  kind: "CSINodeList";
  metadata: ListMeta;
  items: CSINode[];
}

export interface CSINodeSpec {
  drivers: CSINodeDriver[];
}

/** How much storage of a class is left in one place. */
export interface CSIStorageCapacity {
  apiVersion: "storage.k8s.io/v1";
  kind: "CSIStorageCapacity";
  metadata: NamespacedMeta;
  nodeTopology?: LabelSelector;
  storageClassName: string;
  capacity?: string;
  maximumVolumeSize?: string;
}

export interface CSIStorageCapacityList {
  apiVersion: "storage.k8s.io/v1";
  kind: "CSIStorageCapacityList";
  metadata: ListMeta;
  items: CSIStorageCapacity[];
}

/** How volumes are made for claims that name it. */
export interface StorageClass {
  apiVersion: "storage.k8s.io/v1";
  kind: "StorageClass";
  metadata: NamedMeta;
  provisioner: string;
  parameters?: Record<string, string>;
  reclaimPolicy?: "Delete" | "Recycle" | "Retain";
  mountOptions?: string[];
  allowVolumeExpansion?: boolean;
  volumeBindingMode?: "Immediate" | "WaitForFirstConsumer";
  allowedTopologies?: TopologySelectorTerm[];
}

export interface StorageClassList {
  apiVersion: "storage.k8s.io/v1";
  kind: "StorageClassList";
  metadata: ListMeta;
  items: StorageClass[];
}

export interface TokenRequest {
  audience: string;
  expirationSeconds?: number;
}

/** The wish that a volume is attached to a node. */
export interface VolumeAttachment {
  apiVersion: "storage.k8s.io/v1";
  kind: "VolumeAttachment";
  metadata: NamedMeta;
  spec: VolumeAttachmentSpec;
  status?: VolumeAttachmentStatus;
}

export interface VolumeAttachmentList {
  apiVersion: "storage.k8s.io/v1";
  kind: "VolumeAttachmentList";
  metadata: ListMeta;
  items: VolumeAttachment[];
}

export interface VolumeAttachmentSource {
  persistentVolumeName?: string;
  inlineVolumeSpec?: PersistentVolumeSpec;
}

export interface VolumeAttachmentSpec {
  attacher: string;
  source: VolumeAttachmentSource;
  nodeName: string;
}

export interface VolumeAttachmentStatus {
  attached: boolean;
  attachmentMetadata?: Record<string, string>;
  attachError?: VolumeError;
  detachError?: VolumeError;
}

/** Changeable traits of volumes, by name. */
export interface VolumeAttributesClass {
  apiVersion: "storage.k8s.io/v1";
  kind: "VolumeAttributesClass";
  metadata: NamedMeta;
  driverName: string;
  parameters?: Record<string, string>;
}

export interface VolumeAttributesClassList {
  apiVersion: "storage.k8s.io/v1";
  kind: "VolumeAttributesClassList";
  metadata: ListMeta;
  items: VolumeAttributesClass[];
}

export interface VolumeError {
  time?: string;
  message?: string;
  errorCode?: number;
}

export interface VolumeNodeResources {
  count?: number;
}
