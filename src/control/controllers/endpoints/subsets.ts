// Converts backends to the subsets of an Endpoints object: one address entry for each, with a pair of
// addresses if it has both families.

import type { EndpointAddress, EndpointPort, EndpointSubset } from "../../../api/types/core.ts";
import { defined } from "../../../base/json/defined.ts";
import { compareText } from "../../../base/json/value.ts";
import type { Backend } from "./backend.ts";
import type { BackendPort } from "./endpoint-ports.ts";
import { portsKey } from "./ports-key.ts";

/** The most addresses in one object; beyond it, ready ones come first. */
export const maximumAddresses = 1000;

export interface Subsets {
  readonly subsets: EndpointSubset[];
  /** Whether some addresses did not fit. */
  readonly isTruncated: boolean;
}

/** Returns the subsets, in an order that depends only on the backends. */
export function subsetsOf(backends: Iterable<Backend>): Subsets {
  const listed = [...backends].filter(isListed).toSorted(byAddress);
  const kept = truncated(listed);
  const byPorts = Map.groupBy(kept, ({ ports }) => portsKey(ports));
  const keys = [...byPorts.keys()].toSorted(compareText);
  return {
    subsets: keys.map((key) => subsetOf(byPorts.get(key) ?? [])),
    isTruncated: kept.length < listed.length,
  };
}

/**
 * Whether a backend is listed. Endpoints have no terminating state, so that a terminating pod is listed only
 * if it counts as ready.
 */
function isListed({ ready, terminating }: Backend): boolean {
  return ready || terminating !== true;
}

function subsetOf(backends: readonly Backend[]): EndpointSubset {
  const ready = backends.filter((backend) => backend.ready).map(addressOf);
  const notReady = backends.filter((backend) => !backend.ready).map(addressOf);
  const ports = (backends[0]?.ports ?? []).map(endpointPort);
  return {
    ...(ready.length > 0 ? { addresses: ready } : {}),
    ...(notReady.length > 0 ? { notReadyAddresses: notReady } : {}),
    ...(ports.length > 0 ? { ports } : {}),
  };
}

function addressOf({ addresses, hostname, nodeName, targetRef }: Backend): EndpointAddress {
  const ips = addresses.map(({ ip }) => ip);
  return {
    ip: ips[0] ?? "",
    // `ips` is written even for one address, since the server keeps a list that is left out.
    ips,
    ...defined({ hostname, nodeName, targetRef }),
  };
}

function endpointPort({ name, protocol, port, appProtocol }: BackendPort): EndpointPort {
  return {
    ...(name === "" ? {} : { name }),
    port,
    protocol,
    ...defined({ appProtocol }),
  };
}

function truncated(backends: readonly Backend[]): readonly Backend[] {
  if (backends.length <= maximumAddresses) return backends;
  const first = backends.filter(({ ready }) => ready);
  const rest = backends.filter(({ ready }) => !ready);
  return [...first, ...rest].slice(0, maximumAddresses).toSorted(byAddress);
}

function byAddress(a: Backend, b: Backend): number {
  return (
    compareText(a.addresses[0]?.ip ?? "", b.addresses[0]?.ip ?? "") ||
    compareText(a.targetRef?.uid ?? "", b.targetRef?.uid ?? "")
  );
}
