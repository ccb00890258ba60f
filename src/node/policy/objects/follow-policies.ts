// Watches pods, namespaces, nodes and policies, and keeps the state up to date with them.

import type { Client } from "../../../api/client/client.ts";
import type { ResourceDefinition } from "../../../api/client/definition.ts";
import { isForbidden, isNotFound } from "../../../api/client/errors.ts";
import { Collection, type CollectionParts } from "../../../api/client/informer.ts";
import { type ApiObject, keyOf } from "../../../api/client/objects.ts";
import type { Namespace, Node, Pod } from "../../../api/types/core.ts";
import { pause } from "../../../base/host/clock.ts";
import { defined } from "../../../base/json/defined.ts";
import { Address } from "../../../base/net/address.ts";
import { messageOf } from "../../../base/program/errors.ts";
import type { Part } from "../../../base/program/run-all.ts";
import type { NamespaceFacts, NodeFacts, Policy } from "../plan/model.ts";
import type { PolicyState } from "../plan/policy-state.ts";
import { type ClusterNetworkPolicy, readClusterPolicy } from "../plan/read-cluster-policy.ts";
import { readNetworkPolicy } from "../plan/read-network-policy.ts";
import { slimPod } from "./read-pod.ts";

/** The namespace label that, with the value `audit`, keeps policies from denying anything there. */
const modeLabel = "tandem.internal/policy-mode";

export const clusterNetworkPolicies: ResourceDefinition = {
  group: "policy.networking.k8s.io",
  version: "v1alpha2",
  plural: "clusternetworkpolicies",
  kind: "ClusterNetworkPolicy",
  namespaced: false,
};

interface Options extends CollectionParts {
  readonly client: Client;
  readonly state: PolicyState;
  readonly putPod: (pod: Pod | undefined, key: string) => void;
  readonly putNode: (node: Node) => void;
  readonly onChange: () => void;
}

export interface Followed extends Part {
  /** Resolves when all objects that existed at the start are in the state. */
  readonly synced: Promise<void>;
}

export function followPolicies(options: Options): readonly Followed[] {
  const { client, state, putPod, putNode, onChange: reached, log } = options;
  const put = <T extends ApiObject>(kind: string, read: (object: T) => Policy) => ({
    ...options,
    slim: (object: T) => object,
    put: (object: T) => {
      const key = `${kind} ${keyOf(object)}`;
      try {
        state.setPolicy(key, read(object));
      } catch (error) {
        // A policy that cannot be read, though the server accepted it, must not stop all other policies.
        log.warn("Cannot read a policy", { policy: key, message: messageOf(error) });
        state.setPolicy(key, undefined);
      }
    },
    remove: (object: T) => state.setPolicy(`${kind} ${keyOf(object)}`, undefined),
    reached,
  });
  type ClusterObject = ClusterNetworkPolicy & ApiObject;
  return [
    new Collection(client.resource("v1", "Pod"), {
      ...options,
      slim: slimPod,
      put: (pod) => putPod(pod, keyOf(pod)),
      remove: (pod) => putPod(undefined, keyOf(pod)),
      reached,
    }),
    new Collection(client.resource("v1", "Namespace"), {
      ...options,
      slim: (namespace) => namespace,
      put: (namespace) => state.setNamespace(namespace.metadata.name, namespaceFacts(namespace)),
      remove: ({ metadata }) => state.setNamespace(metadata.name, undefined),
      reached,
    }),
    new Collection(client.resource("v1", "Node"), {
      ...options,
      slim: slimNode,
      put: (node, before) => {
        putNode(node);
        const facts = nodeFacts(node);
        const isSame = before && JSON.stringify(nodeFacts(before)) === JSON.stringify(facts);
        if (isSame !== true) state.setNode(node.metadata.name, facts);
      },
      remove: ({ metadata }) => state.setNode(metadata.name, undefined),
      reached,
    }),
    new Collection(
      client.resource("networking.k8s.io/v1", "NetworkPolicy"),
      put("NetworkPolicy", readNetworkPolicy),
    ),
    whereServed(
      new Collection(
        client.custom<ClusterObject>(clusterNetworkPolicies),
        put<ClusterObject>("ClusterNetworkPolicy", readClusterPolicy),
      ),
      options,
    ),
  ];
}

/** The interval at which to check whether the server has begun to serve the kind. */
const lookAgainMs = 30_000;

/** Watches ClusterNetworkPolicies where the server has them; a cluster without the kind has none. */
function whereServed(
  collection: Collection<ClusterNetworkPolicy & ApiObject>,
  options: Options,
): Followed {
  const { client, clock, log } = options;
  const { promise: absent, resolve } = Promise.withResolvers<void>();
  return {
    name: collection.name,
    synced: Promise.race([absent, collection.synced]),
    async run(signal) {
      while (!signal.aborted) {
        try {
          await client.custom(clusterNetworkPolicies).list({ limit: 1, signal });
          return await collection.run(signal);
        } catch (error) {
          if (signal.aborted) return;
          if (isNotFound(error) || isForbidden(error)) resolve();
          else log.warn("Cannot list ClusterNetworkPolicies", { error });
        }
        await pause(clock, lookAgainMs, signal);
      }
    },
  };
}

export function namespaceFacts({ metadata }: Namespace): NamespaceFacts {
  const labels = metadata.labels ?? {};
  return { labels, isAudited: labels[modeLabel] === "audit" };
}

export function nodeFacts({ metadata, status }: Node): NodeFacts {
  const addresses = (status?.addresses ?? []).flatMap(
    ({ address }) => Address.tryParse(address) ?? [],
  );
  return { labels: metadata.labels ?? {}, addresses };
}

function slimNode({ apiVersion, kind, metadata, spec, status }: Node): Node {
  const { name, resourceVersion, labels } = metadata;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...defined({ resourceVersion, labels }),
    },
    spec: defined({ podCIDRs: spec.podCIDRs }),
    status: { addresses: status?.addresses ?? [] },
  };
}
