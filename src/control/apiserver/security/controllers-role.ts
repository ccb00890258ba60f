// What the controllers of `tandem server` may do.
import type { PolicyRule } from "./rbac-rule.ts";

const core = [""];

/** Who they are, by the certificate the server gives them. */
export const controllersUser = "system:tandem-controllers";

export const controllersRules: readonly PolicyRule[] = [
  // What has lost its owners, or its namespace, may be of any kind, custom ones included.
  {
    apiGroups: ["*"],
    resources: ["*"],
    verbs: ["get", "list", "watch", "patch", "delete", "deletecollection"],
  },
  { apiGroups: core, resources: ["namespaces/finalize"], verbs: ["update"] },
  // Pods of workloads, and where they run.
  { apiGroups: core, resources: ["pods", "pods/binding"], verbs: ["create"] },
  { apiGroups: core, resources: ["replicationcontrollers/status"], verbs: ["update"] },
  {
    apiGroups: ["apps"],
    resources: ["replicasets", "controllerrevisions"],
    verbs: ["create", "update"],
  },
  {
    apiGroups: ["apps"],
    resources: [
      "daemonsets/status",
      "deployments/status",
      "replicasets/status",
      "statefulsets/status",
    ],
    verbs: ["update"],
  },
  { apiGroups: ["batch"], resources: ["jobs"], verbs: ["create", "update"] },
  { apiGroups: ["batch"], resources: ["cronjobs/status", "jobs/status"], verbs: ["update"] },
  { apiGroups: ["policy"], resources: ["poddisruptionbudgets/status"], verbs: ["update"] },
  { apiGroups: core, resources: ["resourcequotas/status"], verbs: ["update"] },
  // What pods are reached by.
  { apiGroups: core, resources: ["endpoints"], verbs: ["create", "update"] },
  {
    apiGroups: ["discovery.k8s.io"],
    resources: ["endpointslices"],
    verbs: ["create", "update"],
  },
  // What namespaces have from the start.
  { apiGroups: core, resources: ["serviceaccounts"], verbs: ["create"] },
  { apiGroups: core, resources: ["configmaps"], verbs: ["create", "update"] },
  // Certificates that were asked for: those of nodes' own are approved, all approved ones signed.
  {
    apiGroups: ["certificates.k8s.io"],
    resources: ["certificatesigningrequests/approval", "certificatesigningrequests/status"],
    verbs: ["update"],
  },
  {
    apiGroups: ["certificates.k8s.io"],
    resources: ["signers"],
    resourceNames: ["kubernetes.io/kube-apiserver-client-kubelet"],
    verbs: ["approve", "sign"],
  },
  {
    apiGroups: ["certificates.k8s.io"],
    resources: ["signers"],
    resourceNames: ["kubernetes.io/kube-apiserver-client", "kubernetes.io/kubelet-serving"],
    verbs: ["sign"],
  },
  {
    apiGroups: ["authorization.k8s.io"],
    resources: ["subjectaccessreviews"],
    verbs: ["create"],
  },
  // Leadership, and pod CIDRs that are given away.
  { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["create", "update"] },
  {
    apiGroups: ["config.openshift.io"],
    resources: ["infrastructures", "infrastructures/status"],
    verbs: ["update"],
  },
  { apiGroups: ["", "events.k8s.io"], resources: ["events"], verbs: ["create", "update"] },
];
