// The backends of a service, each with its pair of addresses, from slices of both families.

import type { Endpoint, EndpointSlice } from "../../../api/types/discovery.ts";
import { Address } from "../../../base/net/address.ts";
import type { Family } from "../../../base/net/family.ts";

export interface Backend {
  /** The pod's name, or the address of a backend that is no pod. */
  readonly name: string;
  readonly isPod: boolean;
  readonly node: string | undefined;
  readonly addresses: Readonly<Partial<Record<Family, BackendAddress>>>;
}

export interface BackendAddress {
  readonly address: string;
  readonly isReady: boolean;
}

/** Returns the backends by name; the addresses of one pod in slices of two families are one backend. */
export function backendsOf(slices: readonly EndpointSlice[]): readonly Backend[] {
  const found = new Map<string, Backend>();
  for (const { addressType, endpoints } of slices) {
    if (addressType === "FQDN") continue;
    for (const endpoint of endpoints ?? []) {
      const seen = read(endpoint, addressType);
      if (seen === undefined) continue;
      const before = found.get(seen.name);
      const addresses = { ...before?.addresses, ...seen.addresses };
      const isKept = before?.addresses[addressType]?.isReady === true;
      // A terminating copy of an endpoint must not hide the one that serves.
      if (isKept) addresses[addressType] = before?.addresses[addressType] as BackendAddress;
      found.set(seen.name, { ...seen, node: seen.node ?? before?.node, addresses });
    }
  }
  return [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

export function readyIn(backends: readonly Backend[], family: Family): number {
  return backends.filter(({ addresses }) => addresses[family]?.isReady === true).length;
}

function read(endpoint: Endpoint, family: Family): Backend | undefined {
  const address = Address.tryParse(endpoint.addresses[0] ?? "")?.toString();
  if (address === undefined) return undefined;
  const isPod = endpoint.targetRef?.kind === "Pod";
  return {
    name: (isPod ? endpoint.targetRef?.name : undefined) ?? address,
    isPod,
    node: endpoint.nodeName,
    // Unset means ready, as the API has it.
    addresses: { [family]: { address, isReady: endpoint.conditions?.ready !== false } },
  };
}
