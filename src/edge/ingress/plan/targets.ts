// The targets behind a port of a service: one for each backend, whatever families it has.

import { isCounted } from "../../../api/kinds/discovery.ts";
import type { Endpoints, Service } from "../../../api/types/core.ts";
import type { EndpointSlice } from "../../../api/types/discovery.ts";
import { Address } from "../../../base/net/address.ts";
import { type Family, families } from "../../../base/net/family.ts";

export interface Target {
  readonly address: Address;
  readonly port: number;
}

export interface BackendObjects {
  readonly endpoints: Endpoints | undefined;
  readonly slices: readonly EndpointSlice[];
}

/** All addresses of one backend, the service's preferred family first. */
interface Backend {
  readonly addresses: readonly Address[];
  readonly port: number;
}

/**
 * The targets of a port, by the name of the service's port. Of a backend's addresses the first one is used
 * that is of a family in `reachable`: the order is the service's own, and the families of clients play no
 * part.
 */
export function targetsOf(
  service: Service,
  portName: string,
  objects: BackendObjects & { readonly reachable: readonly Family[] },
): Target[] {
  const { endpoints, reachable } = objects;
  const slices = objects.slices.filter((slice) => isCounted(slice, service));
  const hasPairs = (endpoints?.subsets ?? []).some(({ addresses = [] }) =>
    addresses.some(({ ips }) => ips !== undefined),
  );
  const backends =
    hasPairs || slices.length === 0
      ? fromEndpoints(endpoints, portName)
      : fromSlices(slices, { portName, order: orderOf(service) });
  const usable = allowedFamilies(service).filter((family) => reachable.includes(family));
  const targets = new Map<string, Target>();
  for (const { addresses, port } of backends) {
    const address = addresses.find(({ family }) => usable.includes(family));
    if (address !== undefined) targets.set(`${address} ${port}`, { address, port });
  }
  return [...targets.values()].toSorted((a, b) => a.address.compare(b.address) || a.port - b.port);
}

function fromEndpoints(endpoints: Endpoints | undefined, portName: string): Backend[] {
  return (endpoints?.subsets ?? []).flatMap(({ addresses = [], ports = [] }) =>
    ports
      .filter(({ name = "", protocol = "TCP" }) => name === portName && protocol === "TCP")
      .flatMap(({ port }) =>
        addresses.map(({ ip, ips = [ip] }) => ({ addresses: parse(ips), port })),
      ),
  );
}

/** Merges slices, which have one family each: endpoints that refer to the same pod are one backend. */
function fromSlices(
  slices: readonly EndpointSlice[],
  { portName, order }: { portName: string; order: readonly Family[] },
): Backend[] {
  const merged = new Map<string, { addresses: Address[]; port: number }>();
  for (const { endpoints = [], ports = [] } of slices) {
    const found = ports.find(
      ({ name = "", protocol = "TCP" }) => name === portName && protocol === "TCP",
    );
    if (found?.port === undefined) continue;
    for (const { addresses, conditions, targetRef } of endpoints) {
      if (conditions?.ready === false) continue;
      const { kind, namespace, name, uid } = targetRef ?? {};
      const key =
        name === undefined
          ? JSON.stringify([addresses, found.port])
          : JSON.stringify([kind, namespace, name, uid, found.port]);
      const backend = merged.get(key) ?? { addresses: [], port: found.port };
      backend.addresses.push(...parse(addresses));
      merged.set(key, backend);
    }
  }
  return [...merged.values()].map(({ addresses, port }) => ({
    addresses: addresses.toSorted((a, b) => order.indexOf(a.family) - order.indexOf(b.family)),
    port,
  }));
}

function orderOf({ spec }: Service): readonly Family[] {
  const first = spec.ipFamilies?.[0];
  return first === "IPv6" ? families.toReversed() : families;
}

function allowedFamilies({ spec }: Service): readonly Family[] {
  if (spec.endpointFamily === "ipv4") return ["IPv4"];
  if (spec.endpointFamily === "ipv6") return ["IPv6"];
  return families;
}

function parse(texts: readonly string[]): Address[] {
  return texts.map(Address.tryParse).filter((address) => address !== undefined);
}
