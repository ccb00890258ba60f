// The backends of a service, read from EndpointSlices or from Endpoints.

import type { EndpointAddress, Endpoints } from "../../../api/types/core.ts";
import type { EndpointSlice, Endpoint as SliceEndpoint } from "../../../api/types/discovery.ts";
import { Address } from "../../../base/net/address.ts";
import type { Family } from "../../../base/net/family.ts";
import { endpointText, type Protocol } from "./frontend.ts";
import { isPort, readProtocol } from "./values.ts";

/** One backend of one port, in one family. */
export interface Backend {
  readonly address: string;
  readonly port: number;
  readonly node: string | undefined;
  readonly isReady: boolean;
  readonly isServing: boolean;
  readonly isTerminating: boolean;
  /** The zones and nodes that the control plane's hints give the backend to; not given: every one. */
  readonly forZones: readonly string[] | undefined;
  readonly forNodes: readonly string[] | undefined;
  /** The identity of the backend, the same in both families for one that has both. */
  readonly identity: string;
}

/** The backends of a service, by `portKey`. */
export type BackendsByPort = ReadonlyMap<string, readonly Backend[]>;

/** The objects that list the backends of one service. */
export interface BackendSources {
  readonly slices: readonly EndpointSlice[];
  readonly endpoints?: Endpoints | undefined;
}

export function portKey(name: string | undefined, protocol: Protocol): string {
  return `${name ?? ""}/${protocol}`;
}

/**
 * Reads the backends of one family. Unusable entries, such as addresses of the other family, are left
 * out.
 */
export function readBackends(sources: BackendSources, family: Family): BackendsByPort {
  const found = new Collection(family);
  for (const slice of sources.slices) readSlice(slice, found);
  if (sources.endpoints !== undefined) readEndpoints(sources.endpoints, found);
  return found.byPort;
}

type Entry = Omit<Backend, "address" | "port">;

class Collection {
  readonly family: Family;
  readonly #byPort = new Map<string, Map<string, Backend>>();

  constructor(family: Family) {
    this.family = family;
  }

  get byPort(): BackendsByPort {
    return new Map([...this.#byPort].map(([key, backends]) => [key, [...backends.values()]]));
  }

  /**
   * Adds a backend; one that is listed twice, as happens while slices are rearranged, counts once, in its
   * best state.
   */
  add(
    port: { name?: string; protocol?: string; port?: number },
    backend: Entry & HasAddress,
  ): void {
    const protocol = readProtocol(port.protocol);
    if (protocol === undefined || !isPort(port.port)) return;
    const key = portKey(port.name, protocol);
    const backends = this.#byPort.get(key) ?? new Map<string, Backend>();
    this.#byPort.set(key, backends);
    const place = endpointText({ address: backend.address, port: port.port });
    if (rank(backends.get(place)) < rank(backend)) {
      backends.set(place, { ...backend, port: port.port });
    }
  }
}

interface HasAddress {
  readonly address: string;
}

function rank(backend: Entry | undefined): number {
  if (backend === undefined) return 0;
  return (
    1 + (backend.isReady ? 4 : 0) + (backend.isServing ? 2 : 0) + (backend.isTerminating ? 0 : 1)
  );
}

function readSlice(slice: EndpointSlice, found: Collection): void {
  if (slice.addressType !== found.family) return;
  for (const endpoint of slice.endpoints ?? []) {
    // Only the first address counts: the API says that further ones have no meaning.
    const address = addressOf(endpoint.addresses.slice(0, 1), found.family);
    if (address === undefined) continue;
    const entry = sliceEntry(endpoint, address);
    for (const port of slice.ports ?? []) found.add(port, entry);
  }
}

function sliceEntry(endpoint: SliceEndpoint, address: string): Entry & HasAddress {
  const { conditions = {}, hints } = endpoint;
  return {
    address,
    node: endpoint.nodeName,
    isReady: conditions.ready ?? true,
    isServing: conditions.serving ?? true,
    isTerminating: conditions.terminating ?? false,
    forZones: hints?.forZones?.map(({ name }) => name),
    forNodes: hints?.forNodes?.map(({ name }) => name),
    identity: identityOf(endpoint, address),
  };
}

function readEndpoints(endpoints: Endpoints, found: Collection): void {
  for (const subset of endpoints.subsets ?? []) {
    for (const [list, isReady] of [
      [subset.addresses, true],
      [subset.notReadyAddresses, false],
    ] as const) {
      for (const one of list ?? []) {
        const address = addressOf(one.ips ?? [one.ip], found.family);
        if (address === undefined) continue;
        const entry = endpointEntry(one, { address, isReady });
        for (const port of subset.ports ?? []) found.add(port, entry);
      }
    }
  }
}

function endpointEntry(
  endpoint: EndpointAddress,
  { address, isReady }: { address: string; isReady: boolean },
): Entry & HasAddress {
  return {
    address,
    node: endpoint.nodeName,
    isReady,
    isServing: isReady,
    isTerminating: false,
    forZones: undefined,
    forNodes: undefined,
    identity: identityOf(endpoint, address),
  };
}

/** Returns the first address of the family that can be a packet's destination. */
function addressOf(texts: readonly string[], family: Family): string | undefined {
  for (const text of texts) {
    const address = Address.tryParse(text);
    if (address?.family !== family) continue;
    if (!address.isUnspecified && !address.isMulticast && !address.isLoopback) {
      const canonical = address.toString();
      // The object's own text is used where it is canonical, to save memory with many endpoints.
      return canonical === text ? text : canonical;
    }
  }
  return undefined;
}

function identityOf({ targetRef }: Pick<SliceEndpoint, "targetRef">, address: string): string {
  if (targetRef?.uid !== undefined) return targetRef.uid;
  if (targetRef?.name === undefined) return address;
  return `${targetRef.kind ?? ""}/${targetRef.namespace ?? ""}/${targetRef.name}`;
}
