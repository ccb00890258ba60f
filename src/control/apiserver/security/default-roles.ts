// The default roles and bindings: those of Kubernetes, and those of our own components. Rules and subjects
// that someone removed are restored at start. The controllers bring theirs with them.
import { paths, read, readWrite, rule } from "../../../api/kinds/rbac.ts";
import type { DefaultRole } from "./default-role.ts";
import { ipamAccountRole } from "./ipam-account.ts";
import { kubernetesRoles } from "./kubernetes-roles.ts";

const whereabouts = "whereabouts.cni.cncf.io";
const networkAttachments = rule(read, "k8s.cni.cncf.io", "network-attachment-definitions");
const writeEvents = rule("create patch update", "core events.k8s.io", "events");

export const defaultRoles: readonly DefaultRole[] = [
  ...kubernetesRoles,
  { name: "system:tandem-aggregate-to-view", aggregateTo: "view", rules: [networkAttachments] },
  {
    name: "system:aggregated-metrics-reader",
    aggregateTo: "view",
    rules: [rule("get list", "metrics.k8s.io", "nodes pods")],
  },
  {
    name: "system:tandem-join",
    rules: [paths("post", "/tandem/join")],
    // Nodes renew their certificates at the same path.
    groups: ["system:bootstrappers", "system:nodes"],
  },
  {
    name: "system:dns",
    rules: [
      rule(read, "core", "services endpoints namespaces pods"),
      rule(read, "discovery.k8s.io", "endpointslices"),
    ],
    users: ["system:tandem-dns"],
  },
  {
    name: "system:tandem-ingress",
    rules: [
      rule(read, "core", "services endpoints secrets"),
      rule(read, "networking.k8s.io", "ingresses ingressclasses"),
      rule(read, "discovery.k8s.io", "endpointslices"),
      rule("patch update", "networking.k8s.io", "ingresses/status"),
      rule("create", "coordination.k8s.io", "leases"),
      rule("get update", "coordination.k8s.io", { resources: "leases", names: "tandem-ingress" }),
      writeEvents,
    ],
    users: ["system:tandem-ingress"],
  },
  {
    name: "system:tandem-ipam",
    rules: [
      rule(readWrite, whereabouts, "ippools overlappingrangeipreservations nodeslicepools"),
      rule("patch update", whereabouts, "nodeslicepools/status"),
      rule(read, "core", "pods nodes"),
      networkAttachments,
    ],
    users: ["system:tandem-ipam"],
  },
  ipamAccountRole,
];
