// The pools of IPAM: ranges from which networks hand out addresses, and ranges that are shared out among nodes.

import type { NamespacedMeta } from "../../../api/types/meta.ts";
import { Prefix } from "../../../base/net/prefix.ts";

/** A pool as views need it; the server has turned offsets into addresses. */
export interface IpamPool {
  apiVersion: string;
  kind: string;
  metadata: NamespacedMeta;
  spec: {
    range: string;
    /** The network that the pool is of; empty if it has no name. */
    network: string;
    /** The number of addresses that can be handed out. */
    size: string;
    held: HeldAddress[];
  };
}

export interface HeldAddress {
  address: string;
  /** The pod that has it, as "namespace/name"; the container's id where no pod is named. */
  owner: string;
  ifname: string;
  /** Until when an address that was given back is kept for its pod. */
  keptUntil?: string;
}

/** A range that is shared out among nodes. */
export interface NodeSlicePool {
  apiVersion: string;
  kind: string;
  metadata: NamespacedMeta;
  spec: {
    range: string;
    sliceSize: string;
    /** The network that the range is of; its families are in an object each. */
    network: string;
  };
  status: { allocations: NodeSlice[] };
}

export interface NodeSlice {
  nodeName: string;
  sliceRange: string;
}

/** Returns into how many slices a range is divided; none if that cannot be read. */
export function slicesIn({ spec }: NodeSlicePool): bigint {
  const range = Prefix.tryParse(spec.range);
  const length = Number(/^\/?(\d{1,3})$/.exec(spec.sliceSize)?.[1] ?? Number.NaN);
  if (range === undefined || !(length >= range.length)) return 0n;
  return 1n << BigInt(length - range.length);
}

/** The place of a pod that owns an address; undefined if no pod is named. */
export function podOfOwner(owner: string): { namespace: string; name: string } | undefined {
  const [namespace, name, ...rest] = owner.split("/");
  return namespace && name && rest.length === 0 ? { namespace, name } : undefined;
}
