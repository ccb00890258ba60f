// The roles and bindings a cluster starts with: those kubectl users expect, and those our own
// components run under. They are put back at start when someone removed a rule of them.
import { controllersRules, controllersUser } from "./controllers-role.ts";
import type { PolicyRule } from "./rbac-rule.ts";

export interface DefaultRole {
  readonly name: string;
  readonly rules: readonly PolicyRule[];
  /** Users and groups that get it from the start. */
  readonly groups?: readonly string[];
  readonly users?: readonly string[];
}

const read = ["get", "list", "watch"];
const write = ["create", "delete", "deletecollection", "patch", "update"];
const status = ["patch", "update"];

const core = [""];
const networkGroups = ["networking.k8s.io", "discovery.k8s.io"];

/** What people may look at in a namespace; secrets are not among it. */
const viewable: readonly PolicyRule[] = [
  {
    apiGroups: core,
    resources: [
      "configmaps",
      "endpoints",
      "events",
      "namespaces",
      "namespaces/status",
      "pods",
      "pods/log",
      "pods/status",
      "replicationcontrollers",
      "replicationcontrollers/scale",
      "replicationcontrollers/status",
      "serviceaccounts",
      "services",
      "services/status",
    ],
    verbs: read,
  },
  {
    apiGroups: ["apps"],
    resources: [
      "controllerrevisions",
      "daemonsets",
      "daemonsets/status",
      "deployments",
      "deployments/scale",
      "deployments/status",
      "replicasets",
      "replicasets/scale",
      "replicasets/status",
      "statefulsets",
      "statefulsets/scale",
      "statefulsets/status",
    ],
    verbs: read,
  },
  {
    apiGroups: ["batch"],
    resources: ["cronjobs", "cronjobs/status", "jobs", "jobs/status"],
    verbs: read,
  },
  {
    apiGroups: networkGroups,
    resources: ["ingresses", "ingresses/status", "endpointslices"],
    verbs: read,
  },
  {
    apiGroups: ["policy"],
    resources: ["poddisruptionbudgets", "poddisruptionbudgets/status"],
    verbs: read,
  },
  { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: read },
  { apiGroups: ["k8s.cni.cncf.io"], resources: ["network-attachment-definitions"], verbs: read },
];

const editable: readonly PolicyRule[] = [
  {
    apiGroups: core,
    resources: [
      "pods/attach",
      "pods/exec",
      "pods/portforward",
      "pods/proxy",
      "services/proxy",
      "secrets",
    ],
    verbs: read,
  },
  { apiGroups: core, resources: ["serviceaccounts"], verbs: ["impersonate"] },
  { apiGroups: core, resources: ["pods/eviction", "serviceaccounts/token"], verbs: ["create"] },
  {
    apiGroups: core,
    resources: [
      "configmaps",
      "endpoints",
      "events",
      "pods",
      "pods/attach",
      "pods/exec",
      "pods/portforward",
      "pods/proxy",
      "replicationcontrollers",
      "replicationcontrollers/scale",
      "secrets",
      "serviceaccounts",
      "services",
      "services/proxy",
    ],
    verbs: write,
  },
  {
    apiGroups: ["apps"],
    resources: [
      "daemonsets",
      "deployments",
      "deployments/scale",
      "replicasets",
      "replicasets/scale",
      "statefulsets",
      "statefulsets/scale",
    ],
    verbs: write,
  },
  { apiGroups: ["batch"], resources: ["cronjobs", "jobs"], verbs: write },
  { apiGroups: networkGroups, resources: ["ingresses"], verbs: write },
  { apiGroups: ["policy"], resources: ["poddisruptionbudgets"], verbs: write },
  {
    apiGroups: ["coordination.k8s.io"],
    resources: ["leases"],
    verbs: [...read, ...write],
  },
  ...viewable,
];

const administrable: readonly PolicyRule[] = [
  {
    apiGroups: ["authorization.k8s.io"],
    resources: ["localsubjectaccessreviews"],
    verbs: ["create"],
  },
  {
    apiGroups: ["rbac.authorization.k8s.io"],
    resources: ["roles", "rolebindings"],
    verbs: [...read, ...write],
  },
  ...editable,
];

export const defaultRoles: readonly DefaultRole[] = [
  {
    name: "cluster-admin",
    rules: [
      { apiGroups: ["*"], resources: ["*"], verbs: ["*"] },
      { nonResourceURLs: ["*"], verbs: ["*"] },
    ],
    groups: ["system:masters"],
  },
  { name: "admin", rules: administrable },
  { name: "edit", rules: editable },
  { name: "view", rules: viewable },
  {
    name: "system:discovery",
    rules: [
      {
        nonResourceURLs: [
          "/api",
          "/api/*",
          "/apis",
          "/apis/*",
          "/healthz",
          "/livez",
          "/openapi",
          "/openapi/*",
          "/readyz",
          "/version",
          "/version/",
        ],
        verbs: ["get"],
      },
    ],
    groups: ["system:authenticated"],
  },
  {
    name: "system:public-info-viewer",
    rules: [
      {
        nonResourceURLs: ["/healthz", "/livez", "/readyz", "/version", "/version/"],
        verbs: ["get"],
      },
    ],
    groups: ["system:authenticated", "system:unauthenticated"],
  },
  {
    name: "system:basic-user",
    rules: [
      {
        apiGroups: ["authorization.k8s.io"],
        resources: ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
        verbs: ["create"],
      },
      {
        apiGroups: ["authentication.k8s.io"],
        resources: ["selfsubjectreviews"],
        verbs: ["create"],
      },
    ],
    groups: ["system:authenticated"],
  },
  {
    name: "system:auth-delegator",
    rules: [
      { apiGroups: ["authentication.k8s.io"], resources: ["tokenreviews"], verbs: ["create"] },
      {
        apiGroups: ["authorization.k8s.io"],
        resources: ["subjectaccessreviews"],
        verbs: ["create"],
      },
    ],
  },
  {
    name: "system:node-bootstrapper",
    rules: [{ nonResourceURLs: ["/tandem/join"], verbs: ["post"] }],
    // Nodes ask for their next certificates at the same place.
    groups: ["system:bootstrappers", "system:nodes"],
  },
  {
    name: "system:node-proxier",
    rules: [
      { apiGroups: core, resources: ["services", "endpoints", "nodes"], verbs: read },
      {
        apiGroups: networkGroups,
        resources: ["endpointslices", "servicecidrs"],
        verbs: read,
      },
      {
        apiGroups: ["", "events.k8s.io"],
        resources: ["events"],
        verbs: ["create", "patch", "update"],
      },
    ],
    users: ["system:kube-proxy"],
  },
  {
    name: "system:dns",
    rules: [
      { apiGroups: core, resources: ["services", "endpoints", "namespaces", "pods"], verbs: read },
      { apiGroups: networkGroups, resources: ["endpointslices"], verbs: read },
    ],
    users: ["system:tandem-dns"],
  },
  {
    name: "system:tandem-ingress",
    rules: [
      { apiGroups: core, resources: ["services", "endpoints", "secrets"], verbs: read },
      {
        apiGroups: networkGroups,
        resources: ["ingresses", "ingressclasses", "endpointslices"],
        verbs: read,
      },
      { apiGroups: ["networking.k8s.io"], resources: ["ingresses/status"], verbs: status },
      { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["create"] },
      {
        apiGroups: ["coordination.k8s.io"],
        resources: ["leases"],
        resourceNames: ["tandem-ingress"],
        verbs: ["get", "update"],
      },
      {
        apiGroups: ["", "events.k8s.io"],
        resources: ["events"],
        verbs: ["create", "patch", "update"],
      },
    ],
    users: ["system:tandem-ingress"],
  },
  {
    name: "system:monitoring",
    rules: [{ nonResourceURLs: ["/metrics", "/healthz", "/livez", "/readyz"], verbs: ["get"] }],
    groups: ["system:monitoring"],
  },
  {
    name: "system:tandem-ipam",
    rules: [
      {
        apiGroups: ["whereabouts.cni.cncf.io"],
        resources: ["ippools", "overlappingrangeipreservations", "nodeslicepools"],
        verbs: [...read, ...write],
      },
      {
        apiGroups: ["whereabouts.cni.cncf.io"],
        resources: ["nodeslicepools/status"],
        verbs: status,
      },
      { apiGroups: core, resources: ["pods", "nodes"], verbs: read },
      {
        apiGroups: ["k8s.cni.cncf.io"],
        resources: ["network-attachment-definitions"],
        verbs: read,
      },
    ],
    users: ["system:tandem-ipam"],
  },
  { name: controllersUser, rules: controllersRules, users: [controllersUser] },
];
