import type { Node } from "../../../api/types/core.ts";
import { Address } from "../../../base/net/address.ts";
import type { NodeFacts } from "../plan/node.ts";

const zoneLabel = "topology.kubernetes.io/zone";

/** What a node is known by: `own` addresses first, then those that its object has, if there is one. */
export function nodeFacts(
  name: string,
  { node, own }: { readonly node: Node | undefined; readonly own: readonly Address[] },
): NodeFacts {
  const written = ["InternalIP", "ExternalIP"].flatMap((wanted) =>
    (node?.status?.addresses ?? []).flatMap(({ type, address }) =>
      type === wanted ? (Address.tryParse(address) ?? []) : [],
    ),
  );
  // Programs are told to bind to :: or 0.0.0.0 when they are to find out themselves.
  const given = own.filter((address) => !address.isUnspecified);
  return { name, zone: node?.metadata.labels?.[zoneLabel], addresses: [...given, ...written] };
}

export function sameFacts(one: NodeFacts, other: NodeFacts): boolean {
  return one.zone === other.zone && String(one.addresses) === String(other.addresses);
}

/** Whether load balancers may send traffic to a node. */
export function isEligible(node: Node | undefined): boolean {
  const taints = node?.spec.taints ?? [];
  return (
    node?.metadata.deletionTimestamp === undefined &&
    !taints.some(({ key }) => key === "ToBeDeletedByClusterAutoscaler")
  );
}
