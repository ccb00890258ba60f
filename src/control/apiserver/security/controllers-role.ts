// The permissions of the controllers of `tandem server`.
import type { PolicyRule } from "./rbac-rule.ts";

const core = [""];

/** The user name of the controllers, in the certificate that the server issues to them. */
export const controllersUser = "system:tandem-controllers";

export const controllersRules: readonly PolicyRule[] = [
  // Garbage collection and deletion of namespaces: objects may be of any kind, custom ones included.
  {
    apiGroups: ["*"],
    resources: ["*"],
    verbs: ["get", "list", "watch", "patch", "delete", "deletecollection"],
  },
  { apiGroups: core, resources: ["namespaces/finalize"], verbs: ["update"] },
  // Workloads: their pods, and the nodes these run on.
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
  // Volumes and claims, those of StatefulSets and of ephemeral volumes among them.
  {
    apiGroups: core,
    resources: ["persistentvolumes", "persistentvolumeclaims"],
    verbs: ["create", "update"],
  },
  {
    apiGroups: core,
    resources: ["persistentvolumes/status", "persistentvolumeclaims/status"],
    verbs: ["update"],
  },
  {
    apiGroups: ["networking.k8s.io"],
    resources: ["servicecidrs", "servicecidrs/status"],
    verbs: ["update"],
  },
  // Autoscalers; the scale of their targets, which may be of any kind, is patched.
  {
    apiGroups: ["autoscaling"],
    resources: ["horizontalpodautoscalers/status"],
    verbs: ["update"],
  },
  // Endpoints and EndpointSlices of services.
  { apiGroups: core, resources: ["endpoints"], verbs: ["create", "update"] },
  {
    apiGroups: ["discovery.k8s.io"],
    resources: ["endpointslices"],
    verbs: ["create", "update"],
  },
  // Default objects of namespaces.
  { apiGroups: core, resources: ["serviceaccounts"], verbs: ["create"] },
  { apiGroups: core, resources: ["configmaps"], verbs: ["create", "update"] },
  // Certificate requests: those of nodes for themselves are approved, all approved ones are signed.
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
  // Leases, for leader election and for pod CIDRs.
  { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["create", "update"] },
  {
    apiGroups: ["config.openshift.io"],
    resources: ["infrastructures", "infrastructures/status"],
    verbs: ["update"],
  },
  { apiGroups: ["", "events.k8s.io"], resources: ["events"], verbs: ["create", "update"] },
];
