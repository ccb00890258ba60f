// The objects a cluster starts with.

import { addressPools } from "../../api/builtin-crds/address-pools.ts";
import { clusterNetworkPolicies } from "../../api/builtin-crds/cluster-network-policies.ts";
import { infrastructures } from "../../api/builtin-crds/infrastructures.ts";
import { networkAttachmentDefinitions } from "../../api/builtin-crds/network-attachments.ts";
import {
  ipPools,
  nodeSlicePools,
  overlappingRangeReservations,
} from "../../api/builtin-crds/whereabouts.ts";
import { timestamp } from "../../api/fields/timestamp.ts";
import type { ClusterSettings } from "../../api/kinds/kind.ts";
import { systemClasses } from "../../api/kinds/scheduling.ts";
import type { Namespace } from "../../api/types/core.ts";
import type { ServiceCIDR } from "../../api/types/networking.ts";
import type { PriorityClass } from "../../api/types/scheduling.ts";
import type { BootstrapObject } from "./bootstrap-object.ts";
import { roleObjects } from "./bootstrap-role-objects.ts";
import { defaultFlowObjects } from "./fairness/defaults.ts";
import { defaultAccount } from "./resources/namespace-companions.ts";
import type { DefaultRole } from "./security/default-role.ts";
import { defaultRoles } from "./security/default-roles.ts";
import { ipamAccountObject } from "./security/ipam-account.ts";

const namespaces = ["default", "kube-system", "kube-public", "kube-node-lease"];
const definitions = [
  networkAttachmentDefinitions,
  ipPools,
  overlappingRangeReservations,
  nodeSlicePools,
  infrastructures,
  addressPools,
  clusterNetworkPolicies,
];
export function bootstrapObjects(
  settings: ClusterSettings,
  furtherRoles: readonly DefaultRole[],
): BootstrapObject[] {
  return [
    ...namespaces.map((name) => ({
      group: "",
      version: "v1",
      plural: "namespaces",
      object: namespaceNamed(name),
    })),
    ...[...namespaces.map(defaultAccount), ipamAccountObject()].map((object) => ({
      group: "",
      version: "v1",
      plural: "serviceaccounts",
      object,
    })),
    ...Object.entries(systemClasses).map(([name, value]) => ({
      group: "scheduling.k8s.io",
      version: "v1",
      plural: "priorityclasses",
      object: systemClass(name, value),
    })),
    {
      group: "networking.k8s.io",
      version: "v1",
      plural: "servicecidrs",
      object: serviceCidr(settings),
    },
    ...defaultFlowObjects().map((each) => ({
      group: "flowcontrol.apiserver.k8s.io",
      version: "v1",
      ...each,
    })),
    ...definitions.map((definition) => ({
      group: "apiextensions.k8s.io",
      version: "v1",
      plural: "customresourcedefinitions",
      object: structuredClone(definition),
    })),
    ...roleObjects([...defaultRoles, ...furtherRoles]),
  ];
}

function systemClass(name: string, value: number): PriorityClass {
  const scope = name.includes("node") ? "node" : "cluster";
  return {
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    metadata: { name },
    value,
    description: `For pods that the ${scope} cannot do without.`,
  };
}

function namespaceNamed(name: string): Namespace {
  return {
    kind: "Namespace",
    apiVersion: "v1",
    metadata: { name, labels: { "kubernetes.io/metadata.name": name } },
    spec: { finalizers: ["kubernetes"] },
    status: { phase: "Active" },
  };
}

/** The service CIDRs a cluster starts with; further ones can be added. */
function serviceCidr({ serviceCidrs, now }: ClusterSettings): ServiceCIDR {
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "ServiceCIDR",
    metadata: { name: "kubernetes" },
    spec: { cidrs: [...serviceCidrs] },
    status: {
      conditions: [
        {
          type: "Ready",
          status: "True",
          reason: "",
          message: "Kubernetes default Service CIDR is ready",
          lastTransitionTime: timestamp(now()),
        },
      ],
    },
  };
}
