// Clusters as Kubernetes objects: the spec that users write, and the status that the service writes.

import type { ResourceDefinition } from "../../../api/client/definition.ts";
import type { ApiObject } from "../../../api/client/objects.ts";
import type { Condition, NamespacedMeta } from "../../../api/types/meta.ts";

export interface AgentClusterInstall extends ApiObject {
  metadata: NamespacedMeta;
  spec?: {
    clusterDeploymentRef?: { name?: string };
    imageSetRef?: { name?: string };
    /** Deprecated: equals the first of the list. */
    apiVIP?: string;
    apiVIPs?: string[];
    ingressVIP?: string;
    ingressVIPs?: string[];
    networking?: {
      machineNetwork?: { cidr?: string }[];
      clusterNetwork?: { cidr?: string; hostPrefix?: number }[];
      serviceNetwork?: string[];
      userManagedNetworking?: boolean;
    };
  };
  status?: {
    apiVIP?: string;
    apiVIPs?: string[];
    ingressVIP?: string;
    ingressVIPs?: string[];
    conditions?: Condition[];
  };
}

/** The object with the name and the domain of a cluster. */
export interface ClusterDeployment extends ApiObject {
  metadata: NamespacedMeta;
  spec?: { clusterName?: string; baseDomain?: string };
}

export const agentClusterInstalls: ResourceDefinition = {
  group: "extensions.hive.openshift.io",
  version: "v1beta1",
  kind: "AgentClusterInstall",
  plural: "agentclusterinstalls",
  namespaced: true,
};

export const clusterDeployments: ResourceDefinition = {
  group: "hive.openshift.io",
  version: "v1",
  kind: "ClusterDeployment",
  plural: "clusterdeployments",
  namespaced: true,
};
