// The roles of Kubernetes 1.36, with the names and rules that its clients and manifests count on. Those
// of controllers that this project does not have (`system:controller:…`) are left out.
import { paths, read, readWrite, rule, write } from "../../../api/kinds/rbac.ts";
import type { DefaultRole } from "./default-role.ts";
import { nodeRules } from "./node-rules.ts";
import type { PolicyRule } from "./rbac-rule.ts";

const authenticated = "system:authenticated";
const certificates = "certificates.k8s.io";
const coordination = "coordination.k8s.io";
const health = "/livez /readyz /healthz";
const writeEvents = rule("create patch update", "core events.k8s.io", "events");
const reviews: readonly PolicyRule[] = [
  rule("create", "authentication.k8s.io", "tokenreviews"),
  rule("create", "authorization.k8s.io", "subjectaccessreviews"),
];

/** The rules for reading the objects of a namespace; secrets are not among them. */
const viewable: readonly PolicyRule[] = [
  rule(
    read,
    "core",
    `bindings configmaps endpoints limitranges namespaces namespaces/status persistentvolumeclaims
    persistentvolumeclaims/status pods pods/log pods/status replicationcontrollers
    replicationcontrollers/scale replicationcontrollers/status resourcequotas resourcequotas/status
    serviceaccounts services services/status`,
  ),
  rule(read, "core events.k8s.io", "events"),
  rule(read, "discovery.k8s.io", "endpointslices"),
  rule(
    read,
    "apps",
    `controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status
    replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status`,
  ),
  rule(read, "autoscaling", "horizontalpodautoscalers horizontalpodautoscalers/status"),
  rule(read, "batch", "cronjobs cronjobs/status jobs jobs/status"),
  rule(
    read,
    "extensions",
    `daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses
    ingresses/status networkpolicies replicasets replicasets/scale replicasets/status
    replicationcontrollers/scale`,
  ),
  rule(read, "policy", "poddisruptionbudgets poddisruptionbudgets/status"),
  rule(read, "networking.k8s.io", "ingresses ingresses/status networkpolicies"),
  rule(read, "resource.k8s.io", "resourceclaims resourceclaims/status resourceclaimtemplates"),
];

const editable: readonly PolicyRule[] = [
  rule(read, "core", "pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy"),
  rule("impersonate", "core", "serviceaccounts"),
  rule("create", "core", "pods/eviction serviceaccounts/token"),
  rule(
    write,
    "core",
    `configmaps persistentvolumeclaims pods pods/attach pods/exec pods/portforward pods/proxy
    replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy`,
  ),
  rule(write, "core events.k8s.io", "events"),
  rule(
    write,
    "apps",
    `daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale
    statefulsets statefulsets/scale`,
  ),
  rule(write, "autoscaling", "horizontalpodautoscalers"),
  rule(write, "batch", "cronjobs jobs"),
  rule(
    write,
    "extensions",
    `daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets
    replicasets/scale replicationcontrollers/scale`,
  ),
  rule(write, "policy", "poddisruptionbudgets"),
  rule(write, "networking.k8s.io", "ingresses networkpolicies"),
  rule(readWrite, coordination, "leases"),
  rule(write, "resource.k8s.io", "resourceclaims resourceclaimtemplates"),
];

const people: readonly DefaultRole[] = [
  {
    name: "cluster-admin",
    rules: [rule("*", "*", "*"), paths("*", "*")],
    groups: ["system:masters"],
  },
  { name: "admin", rules: [], aggregates: "admin" },
  { name: "edit", rules: [], aggregates: "edit", aggregateTo: "admin" },
  { name: "view", rules: [], aggregates: "view", aggregateTo: "edit" },
  {
    name: "system:aggregate-to-admin",
    aggregateTo: "admin",
    rules: [
      rule("create", "authorization.k8s.io", "localsubjectaccessreviews"),
      rule(readWrite, "rbac.authorization.k8s.io", "roles rolebindings"),
    ],
  },
  { name: "system:aggregate-to-edit", aggregateTo: "edit", rules: editable },
  { name: "system:aggregate-to-view", aggregateTo: "view", rules: viewable },
  {
    name: "system:discovery",
    rules: [
      paths("get", `${health} /version /version/ /openapi /openapi/* /api /api/* /apis /apis/*`),
    ],
    groups: [authenticated],
  },
  {
    name: "system:public-info-viewer",
    rules: [paths("get", `${health} /version /version/`)],
    groups: [authenticated, "system:unauthenticated"],
  },
  {
    name: "system:basic-user",
    rules: [
      rule("create", "authorization.k8s.io", "selfsubjectaccessreviews selfsubjectrulesreviews"),
      rule("create", "authentication.k8s.io", "selfsubjectreviews"),
    ],
    groups: [authenticated],
  },
];

const programs: readonly DefaultRole[] = [
  {
    name: "system:monitoring",
    rules: [
      paths("get", `/metrics /metrics/slis ${health} /livez/* /readyz/* /healthz/*`),
      rule("get", "core", "nodes/metrics"),
    ],
    groups: ["system:monitoring"],
  },
  {
    name: "system:heapster",
    rules: [
      rule(read, "core", "events pods nodes namespaces"),
      rule(read, "extensions", "deployments"),
    ],
  },
  {
    name: "system:node-problem-detector",
    rules: [rule("get", "core", "nodes"), rule("patch", "core", "nodes/status"), writeEvents],
  },
  { name: "system:auth-delegator", rules: reviews },
  { name: "system:kube-aggregator", rules: [rule(read, "core", "services endpoints")] },
  {
    name: "system:kube-controller-manager",
    rules: [
      writeEvents,
      rule("create", coordination, "leases"),
      rule("get update", coordination, { resources: "leases", names: "kube-controller-manager" }),
      rule("create update", "core", "secrets serviceaccounts"),
      rule("delete", "core", "secrets"),
      rule("get", "core", "namespaces secrets serviceaccounts configmaps"),
      ...reviews,
      rule("list watch", "*", "*"),
      rule("create", "core", "serviceaccounts/token"),
    ],
    users: ["system:kube-controller-manager"],
  },
  {
    name: "system:kube-scheduler",
    rules: [
      writeEvents,
      rule("create", coordination, "leases"),
      rule("get update list watch", coordination, { resources: "leases", names: "kube-scheduler" }),
      rule(readWrite, coordination, "leasecandidates"),
      rule(`${read} delete`, "core", "pods"),
      rule("create", "core", "pods/binding bindings"),
      rule("patch update", "core", "pods/status"),
      rule(
        read,
        "core",
        "namespaces nodes persistentvolumeclaims persistentvolumes replicationcontrollers services",
      ),
      rule(read, "apps extensions", "replicasets"),
      rule(read, "apps", "statefulsets"),
      rule(read, "policy", "poddisruptionbudgets"),
      ...reviews,
      rule(read, "storage.k8s.io", "csidrivers csinodes csistoragecapacities volumeattachments"),
    ],
    users: ["system:kube-scheduler"],
  },
  {
    name: "system:volume-scheduler",
    rules: [
      rule(`${read} patch update`, "core", "persistentvolumes persistentvolumeclaims"),
      rule(read, "storage.k8s.io", "storageclasses"),
    ],
    users: ["system:kube-scheduler"],
  },
  {
    name: "system:kube-dns",
    rules: [rule("list watch", "core", "endpoints services")],
    accounts: ["kube-system/kube-dns"],
  },
  {
    name: "system:persistent-volume-provisioner",
    rules: [
      rule(`${read} create delete`, "core", "persistentvolumes"),
      rule(`${read} update`, "core", "persistentvolumeclaims"),
      rule(read, "storage.k8s.io", "storageclasses"),
      rule("watch", "core", "events"),
      writeEvents,
    ],
  },
  {
    name: "system:kubelet-api-admin",
    rules: [
      rule(read, "core", "nodes"),
      rule("proxy", "core", "nodes"),
      rule(
        "*",
        "core",
        "nodes/configz nodes/healthz nodes/log nodes/metrics nodes/pods nodes/proxy nodes/stats",
      ),
    ],
  },
  {
    name: "system:node-proxier",
    rules: [
      rule("list watch", "core", "services endpoints"),
      rule(read, "core", "nodes"),
      writeEvents,
      rule("list watch", "networking.k8s.io", "servicecidrs"),
      rule("list watch", "discovery.k8s.io", "endpointslices"),
    ],
    users: ["system:kube-proxy"],
  },
  {
    name: "system:service-account-issuer-discovery",
    rules: [
      paths(
        "get",
        `/.well-known/openid-configuration /.well-known/openid-configuration/
        /openid/v1/jwks /openid/v1/jwks/`,
      ),
    ],
    groups: ["system:serviceaccounts"],
  },
];

const nodes: readonly DefaultRole[] = [
  // The role of nodes is for those who bind it by hand: nodes have an authorizer of their own.
  { name: "system:node", rules: nodeRules },
  {
    name: "system:node-bootstrapper",
    rules: [rule(`create ${read}`, certificates, "certificatesigningrequests")],
  },
  ...["nodeclient", "selfnodeclient"].map((kind) => ({
    name: `system:certificates.k8s.io:certificatesigningrequests:${kind}`,
    rules: [rule("create", certificates, `certificatesigningrequests/${kind}`)],
  })),
  ...[
    "legacy-unknown",
    "kubelet-serving",
    "kube-apiserver-client",
    "kube-apiserver-client-kubelet",
  ].map((signer) => ({
    name: `system:certificates.k8s.io:${signer}-approver`,
    rules: [
      rule("approve", certificates, { resources: "signers", names: `kubernetes.io/${signer}` }),
    ],
  })),
];

const leaders = ["kube-controller-manager", "kube-scheduler"];

const namespaced: readonly DefaultRole[] = [
  {
    name: "extension-apiserver-authentication-reader",
    namespace: "kube-system",
    binding: "system::extension-apiserver-authentication-reader",
    rules: [
      rule(read, "core", { resources: "configmaps", names: "extension-apiserver-authentication" }),
    ],
    users: leaders.map((name) => `system:${name}`),
  },
  ...leaders.map((name) => ({
    name: `system::leader-locking-${name}`,
    namespace: "kube-system",
    rules: [rule(`${read} create update`, coordination, "leases leasecandidates")],
    users: [`system:${name}`],
    accounts: [`kube-system/${name}`],
  })),
];

export const kubernetesRoles: readonly DefaultRole[] = [
  ...people,
  ...programs,
  ...nodes,
  ...namespaced,
];
