// The resources of the API: the one list behind discovery, routing, authorisation and OpenAPI. Groups stand
// in the order in which clients resolve short names.

import type { GroupVersionKind } from "./registry.ts";
import {
  everyVerb,
  type Resource,
  type Row,
  type SubresourceRow,
  serve,
  type Verb,
} from "./resource.ts";

/** The resource that holds objects of a kind. */
export function resourceOf(gvk: GroupVersionKind): Resource | undefined {
  return resources.find(
    ({ group, version, kind }) =>
      kind === gvk.kind && version === gvk.version && group === gvk.group,
  );
}

const allButCollection = everyVerb.filter((verb) => verb !== "deletecollection");
const write: readonly Verb[] = ["get", "patch", "update"];
const forward: readonly Verb[] = ["create", "delete", "get", "patch", "update"];
const stream: readonly Verb[] = ["create", "get"];
const create: readonly Verb[] = ["create"];

const all = ["all"];
const status: SubresourceRow = { name: "status", verbs: write };
const scale: SubresourceRow = {
  name: "scale",
  verbs: write,
  group: "autoscaling",
  version: "v1",
  kind: "Scale",
};

const extensions = ["api-extensions"];
const autoscaler: Row = {
  kind: "HorizontalPodAutoscaler",
  plural: "horizontalpodautoscalers",
  short: ["hpa"],
  categories: all,
  sub: [status],
};

export const resources: readonly Resource[] = [
  ...serve("", "v1", [
    { kind: "Binding", plural: "bindings", verbs: create },
    { kind: "ConfigMap", plural: "configmaps", short: ["cm"] },
    { kind: "Endpoints", plural: "endpoints", short: ["ep"] },
    { kind: "Event", plural: "events", short: ["ev"] },
    { kind: "LimitRange", plural: "limitranges", short: ["limits"] },
    {
      kind: "Namespace",
      plural: "namespaces",
      short: ["ns"],
      cluster: true,
      verbs: allButCollection,
      sub: [{ name: "finalize", verbs: ["update"] }, status],
    },
    {
      kind: "Node",
      plural: "nodes",
      short: ["no"],
      cluster: true,
      sub: [{ name: "proxy", verbs: forward, kind: "NodeProxyOptions" }, status],
    },
    {
      kind: "PersistentVolumeClaim",
      plural: "persistentvolumeclaims",
      short: ["pvc"],
      sub: [status],
    },
    {
      kind: "PersistentVolume",
      plural: "persistentvolumes",
      short: ["pv"],
      cluster: true,
      sub: [status],
    },
    {
      kind: "Pod",
      plural: "pods",
      short: ["po"],
      categories: all,
      sub: [
        { name: "attach", verbs: stream, kind: "PodAttachOptions" },
        { name: "binding", verbs: create, kind: "Binding" },
        { name: "ephemeralcontainers", verbs: write },
        { name: "eviction", verbs: create, group: "policy", version: "v1", kind: "Eviction" },
        { name: "exec", verbs: stream, kind: "PodExecOptions" },
        { name: "log", verbs: ["get"] },
        { name: "portforward", verbs: stream, kind: "PodPortForwardOptions" },
        { name: "proxy", verbs: forward, kind: "PodProxyOptions" },
        { name: "resize", verbs: write },
        status,
      ],
    },
    { kind: "PodTemplate", plural: "podtemplates" },
    {
      kind: "ReplicationController",
      plural: "replicationcontrollers",
      short: ["rc"],
      categories: all,
      sub: [scale, status],
    },
    { kind: "ResourceQuota", plural: "resourcequotas", short: ["quota"], sub: [status] },
    { kind: "Secret", plural: "secrets" },
    {
      kind: "ServiceAccount",
      plural: "serviceaccounts",
      short: ["sa"],
      sub: [
        {
          name: "token",
          verbs: create,
          group: "authentication.k8s.io",
          version: "v1",
          kind: "TokenRequest",
        },
      ],
    },
    {
      kind: "Service",
      plural: "services",
      short: ["svc"],
      categories: all,
      sub: [{ name: "proxy", verbs: forward, kind: "ServiceProxyOptions" }, status],
    },
  ]),
  ...serve("apiregistration.k8s.io", "v1", [
    {
      kind: "APIService",
      plural: "apiservices",
      categories: extensions,
      cluster: true,
      sub: [status],
    },
  ]),
  ...serve("apps", "v1", [
    { kind: "ControllerRevision", plural: "controllerrevisions" },
    { kind: "DaemonSet", plural: "daemonsets", short: ["ds"], categories: all, sub: [status] },
    {
      kind: "Deployment",
      plural: "deployments",
      short: ["deploy"],
      categories: all,
      sub: [scale, status],
    },
    {
      kind: "ReplicaSet",
      plural: "replicasets",
      short: ["rs"],
      categories: all,
      sub: [scale, status],
    },
    {
      kind: "StatefulSet",
      plural: "statefulsets",
      short: ["sts"],
      categories: all,
      sub: [scale, status],
    },
  ]),
  ...serve("events.k8s.io", "v1", [{ kind: "Event", plural: "events", short: ["ev"] }]),
  ...serve("authentication.k8s.io", "v1", [
    { kind: "SelfSubjectReview", plural: "selfsubjectreviews", cluster: true, verbs: create },
    { kind: "TokenReview", plural: "tokenreviews", cluster: true, verbs: create },
  ]),
  ...serve("authorization.k8s.io", "v1", [
    { kind: "LocalSubjectAccessReview", plural: "localsubjectaccessreviews", verbs: create },
    {
      kind: "SelfSubjectAccessReview",
      plural: "selfsubjectaccessreviews",
      cluster: true,
      verbs: create,
    },
    {
      kind: "SelfSubjectRulesReview",
      plural: "selfsubjectrulesreviews",
      cluster: true,
      verbs: create,
    },
    { kind: "SubjectAccessReview", plural: "subjectaccessreviews", cluster: true, verbs: create },
  ]),
  ...serve("autoscaling", "v2", [autoscaler]),
  ...serve("autoscaling", "v1", [autoscaler]),
  ...serve("batch", "v1", [
    { kind: "CronJob", plural: "cronjobs", short: ["cj"], categories: all, sub: [status] },
    { kind: "Job", plural: "jobs", categories: all, sub: [status] },
  ]),
  ...serve("certificates.k8s.io", "v1", [
    {
      kind: "CertificateSigningRequest",
      plural: "certificatesigningrequests",
      short: ["csr"],
      cluster: true,
      sub: [{ name: "approval", verbs: write }, status],
    },
  ]),
  ...serve("networking.k8s.io", "v1", [
    { kind: "IngressClass", plural: "ingressclasses", cluster: true },
    { kind: "Ingress", plural: "ingresses", short: ["ing"], sub: [status] },
    { kind: "IPAddress", plural: "ipaddresses", short: ["ip"], cluster: true },
    { kind: "NetworkPolicy", plural: "networkpolicies", short: ["netpol"] },
    { kind: "ServiceCIDR", plural: "servicecidrs", cluster: true, sub: [status] },
  ]),
  ...serve("policy", "v1", [
    {
      kind: "PodDisruptionBudget",
      plural: "poddisruptionbudgets",
      short: ["pdb"],
      sub: [status],
    },
  ]),
  ...serve("rbac.authorization.k8s.io", "v1", [
    { kind: "ClusterRoleBinding", plural: "clusterrolebindings", cluster: true },
    { kind: "ClusterRole", plural: "clusterroles", cluster: true },
    { kind: "RoleBinding", plural: "rolebindings" },
    { kind: "Role", plural: "roles" },
  ]),
  ...serve("storage.k8s.io", "v1", [
    { kind: "CSIDriver", plural: "csidrivers", cluster: true },
    { kind: "CSINode", plural: "csinodes", cluster: true },
    { kind: "CSIStorageCapacity", plural: "csistoragecapacities" },
    { kind: "StorageClass", plural: "storageclasses", short: ["sc"], cluster: true },
    { kind: "VolumeAttachment", plural: "volumeattachments", cluster: true, sub: [status] },
    {
      kind: "VolumeAttributesClass",
      plural: "volumeattributesclasses",
      short: ["vac"],
      cluster: true,
    },
  ]),
  ...serve("admissionregistration.k8s.io", "v1", [
    ...["MutatingAdmissionPolicy", "ValidatingAdmissionPolicy"].flatMap((kind) => [
      {
        kind,
        plural: `${kind.toLowerCase().slice(0, -1)}ies`,
        categories: extensions,
        cluster: true as const,
        sub: kind.startsWith("V") ? [status] : [],
      },
      {
        kind: `${kind}Binding`,
        plural: `${kind.toLowerCase()}bindings`,
        categories: extensions,
        cluster: true as const,
      },
    ]),
    ...["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"].map((kind) => ({
      kind,
      plural: `${kind.toLowerCase()}s`,
      categories: extensions,
      cluster: true as const,
    })),
  ]),
  ...serve("apiextensions.k8s.io", "v1", [
    {
      kind: "CustomResourceDefinition",
      plural: "customresourcedefinitions",
      short: ["crd", "crds"],
      categories: extensions,
      cluster: true,
      sub: [status],
    },
  ]),
  ...serve("scheduling.k8s.io", "v1", [
    { kind: "PriorityClass", plural: "priorityclasses", short: ["pc"], cluster: true },
  ]),
  ...serve("coordination.k8s.io", "v1", [{ kind: "Lease", plural: "leases" }]),
  ...serve("node.k8s.io", "v1", [
    { kind: "RuntimeClass", plural: "runtimeclasses", cluster: true },
  ]),
  ...serve("discovery.k8s.io", "v1", [{ kind: "EndpointSlice", plural: "endpointslices" }]),
  ...serve("discovery.k8s.io", "v1beta1", [{ kind: "EndpointSlice", plural: "endpointslices" }]),
  ...serve("flowcontrol.apiserver.k8s.io", "v1", [
    { kind: "FlowSchema", plural: "flowschemas", cluster: true, sub: [status] },
    {
      kind: "PriorityLevelConfiguration",
      plural: "prioritylevelconfigurations",
      cluster: true,
      sub: [status],
    },
  ]),
  ...serve("resource.k8s.io", "v1", [
    { kind: "DeviceClass", plural: "deviceclasses", cluster: true },
    { kind: "ResourceClaim", plural: "resourceclaims", sub: [status] },
    { kind: "ResourceClaimTemplate", plural: "resourceclaimtemplates" },
    { kind: "ResourceSlice", plural: "resourceslices", cluster: true },
  ]),
  // The names of these are those of other kinds, which come first.
  ...serve("metrics.k8s.io", "v1beta1", [
    { kind: "NodeMetrics", plural: "nodes", cluster: true, verbs: ["get", "list"] },
    { kind: "PodMetrics", plural: "pods", verbs: ["get", "list"] },
  ]),
];
