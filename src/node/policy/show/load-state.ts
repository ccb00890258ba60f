// Loads the policy state once from the API, with all pods treated as local so that each can be explained.

import type { Client } from "../../../api/client/client.ts";
import { isForbidden, isNotFound } from "../../../api/client/errors.ts";
import { type ApiObject, keyOf } from "../../../api/client/objects.ts";
import type { CallOptions } from "../../../base/host/command.ts";
import { clusterNetworkPolicies, namespaceFacts, nodeFacts } from "../objects/follow-policies.ts";
import { readPod } from "../objects/read-pod.ts";
import { PolicyState } from "../plan/policy-state.ts";
import { type ClusterNetworkPolicy, readClusterPolicy } from "../plan/read-cluster-policy.ts";
import { readNetworkPolicy } from "../plan/read-network-policy.ts";

export async function loadState(
  client: Client,
  { signal }: CallOptions = {},
): Promise<PolicyState> {
  const state = new PolicyState();
  const [pods, namespaces, nodes, policies, clusterPolicies] = await Promise.all([
    client.resource("v1", "Pod").listAll({ signal }),
    client.resource("v1", "Namespace").listAll({ signal }),
    client.resource("v1", "Node").listAll({ signal }),
    client.resource("networking.k8s.io/v1", "NetworkPolicy").listAll({ signal }),
    clusterPoliciesOf(client, { signal }),
  ]);
  for (const one of namespaces.items) state.setNamespace(one.metadata.name, namespaceFacts(one));
  for (const one of nodes.items) state.setNode(one.metadata.name, nodeFacts(one));
  for (const pod of pods.items) state.setPod(keyOf(pod), readPod(pod, {}));
  for (const one of policies.items) state.setPolicy(keyOf(one), readNetworkPolicy(one));
  for (const one of clusterPolicies) {
    state.setPolicy(`cluster ${one.metadata.name}`, readClusterPolicy(one));
  }
  state.takeChange();
  return state;
}

/** Returns undefined when the user may not read all of it. */
export async function readableState(
  client: Client,
  options: CallOptions,
): Promise<PolicyState | undefined> {
  try {
    return await loadState(client, options);
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}

/** Returns the ClusterNetworkPolicies; none where the cluster does not have the kind. */
async function clusterPoliciesOf(
  client: Client,
  options: CallOptions,
): Promise<readonly ClusterNetworkPolicy[]> {
  try {
    const resource = client.custom<ClusterNetworkPolicy & ApiObject>(clusterNetworkPolicies);
    return (await resource.listAll(options)).items;
  } catch (error) {
    if (isNotFound(error) || isForbidden(error)) return [];
    throw error;
  }
}
