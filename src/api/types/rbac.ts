// Made from the tables of src/api/schema by `make types`: change those.

import type { LabelSelector, ListMeta, NamedMeta, NamespacedMeta } from "./meta.ts";

export interface AggregationRule {
  clusterRoleSelectors?: LabelSelector[];
}

/** Permissions everywhere, or to be granted namespace by namespace. */
export interface ClusterRole {
  apiVersion: "rbac.authorization.k8s.io/v1";
  kind: "ClusterRole";
  metadata: NamedMeta;
  rules?: PolicyRule[];
  aggregationRule?: AggregationRule;
}

/** Grants a cluster role everywhere. */
export interface ClusterRoleBinding {
  apiVersion: "rbac.authorization.k8s.io/v1";
  kind: "ClusterRoleBinding";
  metadata: NamedMeta;
  subjects?: Subject[];
  roleRef: RoleRef;
}

export interface ClusterRoleBindingList {
  apiVersion: "rbac.authorization.k8s.io/v1";
  kind: "ClusterRoleBindingList";
  metadata: ListMeta;
  items: ClusterRoleBinding[];
}

export interface ClusterRoleList {
  apiVersion: "rbac.authorization.k8s.io/v1";
  kind: "ClusterRoleList";
  metadata: ListMeta;
  items: ClusterRole[];
}

export interface PolicyRule {
  verbs: string[];
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
}

/** Permissions within one namespace. */
export interface Role {
  apiVersion: "rbac.authorization.k8s.io/v1";
  kind: "Role";
  metadata: NamespacedMeta;
  rules?: PolicyRule[];
}

/** Grants a role within one namespace. */
export interface RoleBinding {
  apiVersion: "rbac.authorization.k8s.io/v1";
  kind: "RoleBinding";
  metadata: NamespacedMeta;
  subjects?: Subject[];
  roleRef: RoleRef;
}

export interface RoleBindingList {
  apiVersion: "rbac.authorization.k8s.io/v1";
  kind: "RoleBindingList";
  metadata: ListMeta;
  items: RoleBinding[];
}

export interface RoleList {
  apiVersion: "rbac.authorization.k8s.io/v1";
  kind: "RoleList";
  metadata: ListMeta;
  items: Role[];
}

export interface RoleRef {
  apiGroup?: string;
  kind: string;
  name: string;
}

export interface Subject {
  kind: string;
  apiGroup?: string;
  name: string;
  namespace?: string;
}
