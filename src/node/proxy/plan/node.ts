import type { Address } from "../../../base/net/address.ts";
import type { Prefix } from "../../../base/net/prefix.ts";

/** What policy depends on besides the objects. */
export interface NodeFacts {
  readonly name: string;
  readonly zone: string | undefined;
  /** Where the node is known at, of both families, the first of each first. */
  readonly addresses: readonly Address[];
}

/** Whether the node itself is among the sources that a list lets in. */
export function isNodeWithin(node: NodeFacts, prefixes: readonly Prefix[]): boolean {
  return prefixes.some((prefix) => node.addresses.some((address) => prefix.contains(address)));
}
