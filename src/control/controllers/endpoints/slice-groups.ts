// Groups backends for EndpointSlices: a slice holds addresses of one family that have the same ports.

import type { Endpoint, EndpointHints, EndpointPort } from "../../../api/types/discovery.ts";
import { defined } from "../../../base/json/defined.ts";
import type { Family } from "../../../base/net/family.ts";
import type { Backend } from "./backend.ts";
import type { BackendPort } from "./endpoint-ports.ts";
import { portsKey } from "./ports-key.ts";

export interface SliceGroup {
  readonly family: Family;
  readonly ports: readonly EndpointPort[];
  /** The endpoints by identity, so that none occurs twice. */
  readonly endpoints: ReadonlyMap<string, Endpoint>;
}

export interface GroupOptions {
  /** The families that have a group even if it is empty. */
  readonly lasting: readonly Family[];
  /** The service's trafficDistribution. */
  readonly distribution?: string | undefined;
}

export function groupsOf(backends: readonly Backend[], options: GroupOptions): SliceGroup[] {
  const groups = new Map<string, SliceGroup & { endpoints: Map<string, Endpoint> }>();
  for (const backend of backends) {
    const key = portsKey(backend.ports);
    for (const { family, ip } of backend.addresses) {
      const id = `${family} ${key}`;
      let group = groups.get(id);
      if (group === undefined) {
        group = { family, ports: backend.ports.map(slicePort), endpoints: new Map() };
        groups.set(id, group);
      }
      const endpoint = endpointOf(backend, ip, options.distribution);
      if (!group.endpoints.has(identityOf(endpoint))) {
        group.endpoints.set(identityOf(endpoint), endpoint);
      }
    }
  }
  const found = [...groups.values()];
  const missing = options.lasting.filter((each) => found.every(({ family }) => family !== each));
  const empty = missing.map((family) => ({ family, ports: [], endpoints: new Map() }));
  return [...found, ...empty];
}

/** Returns the part of an endpoint that stays the same while it changes. */
export function identityOf({ addresses, targetRef }: Endpoint): string {
  return `${addresses.join()} ${targetRef?.uid ?? ""}`;
}

function endpointOf(backend: Backend, ip: string, distribution: string | undefined): Endpoint {
  const { ready, serving, terminating, hostname, nodeName, zone, targetRef } = backend;
  const hints = hintsOf(backend, distribution);
  return {
    addresses: [ip],
    conditions: {
      ready,
      ...defined({ serving, terminating }),
    },
    ...defined({ hostname, targetRef, nodeName, zone, hints }),
  };
}

/** Returns topology hints, if the service prefers near backends. */
function hintsOf(
  { zone, nodeName }: Backend,
  distribution: string | undefined,
): EndpointHints | undefined {
  if (!distribution?.startsWith("Prefer")) return undefined;
  const isByNode = distribution === "PreferSameNode" && nodeName !== undefined;
  if (zone === undefined && !isByNode) return undefined;
  return {
    ...(zone === undefined ? {} : { forZones: [{ name: zone }] }),
    ...(isByNode ? { forNodes: [{ name: nodeName }] } : {}),
  };
}

function slicePort({ name, protocol, port, appProtocol }: BackendPort): EndpointPort {
  return { name, protocol, port, ...defined({ appProtocol }) };
}
