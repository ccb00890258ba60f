import type { Address } from "../../../base/net/address.ts";
import type { Prefix } from "../../../base/net/prefix.ts";

/** The facts of this node that plans depend on besides services and endpoints. */
export interface NodeFacts {
  readonly name: string;
  readonly zone: string | undefined;
  /** The node's addresses of both families, the primary one of each family first. */
  readonly addresses: readonly Address[];
}

/** Whether the node itself is among the allowed sources. */
export function isNodeWithin(node: NodeFacts, prefixes: readonly Prefix[]): boolean {
  return prefixes.some((prefix) => node.addresses.some((address) => prefix.contains(address)));
}
