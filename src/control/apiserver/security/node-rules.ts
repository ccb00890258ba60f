// The rules of Kubernetes' role `system:node`. The node authorizer narrows many of them down to the node
// itself and to the pods bound to it.
import { read, rule } from "../../../api/kinds/rbac.ts";
import type { PolicyRule } from "./rbac-rule.ts";

export const nodeRules: readonly PolicyRule[] = [
  rule("create", "authentication.k8s.io", "tokenreviews"),
  rule("create", "authorization.k8s.io", "subjectaccessreviews localsubjectaccessreviews"),
  rule(read, "core", "services"),
  rule(`create ${read} update patch`, "core", "nodes"),
  rule("update patch", "core", "nodes/status"),
  rule("create update patch", "core events.k8s.io", "events"),
  rule(`${read} create delete`, "core", "pods"),
  rule("update patch", "core", "pods/status"),
  rule("create", "core", "pods/eviction serviceaccounts/token"),
  rule(read, "core", "secrets configmaps"),
  rule("get", "core", "persistentvolumeclaims persistentvolumes endpoints serviceaccounts"),
  rule("get update patch", "core", "persistentvolumeclaims/status"),
  rule(`create ${read}`, "certificates.k8s.io", "certificatesigningrequests"),
  rule("get create update patch delete", "coordination.k8s.io", "leases"),
  rule("get", "storage.k8s.io", "volumeattachments"),
  rule(read, "storage.k8s.io", "csidrivers"),
  rule("get create update patch delete", "storage.k8s.io", "csinodes"),
  rule(read, "node.k8s.io", "runtimeclasses"),
  rule("get", "resource.k8s.io", "resourceclaims"),
  rule("deletecollection", "resource.k8s.io", "resourceslices"),
];
