import type { Node } from "../../../api/types/core.ts";
import { Address } from "../../../base/net/address.ts";
import type { NodeFacts } from "../plan/node.ts";

const zoneLabel = "topology.kubernetes.io/zone";

/** Returns the facts of a node: its `own` addresses first, then those of its Node object, if there is one. */
export function nodeFacts(
  name: string,
  { node, own }: { readonly node: Node | undefined; readonly own: readonly Address[] },
): NodeFacts {
  const written = ["InternalIP", "ExternalIP"].flatMap((wanted) =>
    (node?.status?.addresses ?? []).flatMap(({ type, address }) =>
      type === wanted ? (Address.tryParse(address) ?? []) : [],
    ),
  );
  // The unspecified addresses are left out: :: or 0.0.0.0 as bind address means that the proxy is to find
  // out itself.
  const given = own.filter((address) => !address.isUnspecified);
  return { name, zone: node?.metadata.labels?.[zoneLabel], addresses: [...given, ...written] };
}

export function sameFacts(one: NodeFacts, other: NodeFacts): boolean {
  return one.zone === other.zone && String(one.addresses) === String(other.addresses);
}

/** Whether load balancers may send traffic to the node. */
export function isEligible(node: Node | undefined): boolean {
  const taints = node?.spec.taints ?? [];
  return (
    node?.metadata.deletionTimestamp === undefined &&
    !taints.some(({ key }) => key === "ToBeDeletedByClusterAutoscaler")
  );
}
