import type { Node } from "../../../api/types/core.ts";
import { Address } from "../../../base/net/address.ts";
import { Prefix } from "../../../base/net/prefix.ts";

/** The part of a Node object that matters to the network of others. */
export interface Peer {
  readonly name: string;
  /** The node's addresses in its own order, at most one of each family. */
  readonly addresses: readonly Address[];
  readonly podCidrs: readonly Prefix[];
}

export function peerOf({ metadata, spec, status }: Node): Peer {
  const internal = (status?.addresses ?? []).filter(({ type }) => type === "InternalIP");
  return {
    name: metadata.name,
    addresses: internal.flatMap(({ address }) => Address.tryParse(address) ?? []),
    podCidrs: (spec.podCIDRs ?? []).flatMap((text) => Prefix.tryParse(text) ?? []),
  };
}
