// What is kept of the pools of IPAM. Whoever may write such objects can write nonsense into them, which is left out.

import type { CustomObject } from "../../../api/client/objects.ts";
import { Prefix } from "../../../base/net/prefix.ts";
import { type IpPoolObject, poolUseOf } from "../../../node/ipam/ipam.ts";
import type { HeldAddress, IpamPool, NodeSlicePool } from "../model/ipam.ts";

type Allocations = NonNullable<IpPoolObject["spec"]["allocations"]>;

/** A pool as it is in the API, where nothing has to be there. */
export interface WrittenIpPool extends CustomObject {
  spec?: { range?: string; allocations?: Readonly<Record<string, unknown>> | null };
}

export interface WrittenNodeSlicePool extends CustomObject {
  spec?: { range?: string; sliceSize?: string };
  status?: { allocations?: readonly { nodeName?: string; sliceRange?: string }[] | null };
}

export function slimIpPool({ spec = {}, metadata }: WrittenIpPool): Pick<IpamPool, "spec"> {
  const { range = "" } = spec;
  if (Prefix.tryParse(range) === undefined) {
    return { spec: { range, network: "", size: "0", held: [] } };
  }
  const allocations = readable(spec.allocations ?? {});
  const { pool, size, reservations } = poolUseOf({ metadata, spec: { range, allocations } });
  const held = reservations.map(({ address, owner, ifname, keptUntil }): HeldAddress => {
    const told = { address: address.toString(), owner, ifname };
    return keptUntil === undefined
      ? told
      : { ...told, keptUntil: new Date(keptUntil).toISOString() };
  });
  return { spec: { range, network: pool.network, size: size.toString(), held } };
}

export function slimNodeSlicePool({
  spec: { range = "", sliceSize = "" } = {},
  metadata,
  status,
}: WrittenNodeSlicePool): Pick<NodeSlicePool, "spec" | "status"> {
  const allocations = (status?.allocations ?? []).flatMap(({ nodeName = "", sliceRange = "" }) =>
    nodeName === "" ? [] : [{ nodeName, sliceRange }],
  );
  // Of several ranges of a network, all but the first have their range in their names, as pools have.
  const { network } = slimIpPool({ ...head, metadata, spec: { range } }).spec;
  const named = network === "" ? metadata.name : network;
  return { spec: { range, sliceSize, network: named }, status: { allocations } };
}

const head = { apiVersion: "", kind: "" };

function readable(written: Readonly<Record<string, unknown>>): Allocations {
  return Object.fromEntries(
    Object.entries(written).flatMap(([offset, value]) => {
      const { id, podref, ifname } = (value ?? {}) as Partial<Record<string, unknown>>;
      if (typeof id !== "string" || typeof podref !== "string") return [];
      return [[offset, { id, podref, ifname: typeof ifname === "string" ? ifname : "" }]];
    }),
  );
}
