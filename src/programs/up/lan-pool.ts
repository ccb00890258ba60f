// The pool of load balancer addresses: on the nodes' LAN, behind all addresses that nodes can have.

import type { Client } from "../../api/client/client.ts";
import { isAlreadyExists } from "../../api/client/errors.ts";
import { UsageError } from "../../base/program/errors.ts";
import { type AddressPool, addressPools } from "../../edge/balancer/balancer.ts";
import { type ClusterSettings, familiesOf } from "./settings.ts";
import { isHighlyAvailable } from "./virtual-addresses.ts";

const [first, last] = [200n, 250n];

/** Throws a UsageError if ingress would get no load balancer address. */
export function checkIngress(settings: ClusterSettings): void {
  if (isHighlyAvailable(settings) || balancedRanges(settings).length > 0) return;
  const state = `nodeCidr=${settings.nodeCidr.join(",")} has no room for addresses of load balancers`;
  throw new UsageError(`Cannot use ingress=true: ${state}`);
}

/** Returns the ranges of the pool, one for each family whose LAN is large enough. */
export function balancedRanges(settings: ClusterSettings): string[] {
  const families = familiesOf(settings);
  return settings.nodeCidr
    .filter(({ family, size }) => families.includes(family) && size > last + 1n)
    .map((prefix) => `${prefix.at(first)}-${prefix.at(last)}`);
}

/** Creates the pool if there is none; an existing one is left as it is. */
export async function makeLanPool(client: Client, addresses: readonly string[]): Promise<void> {
  if (addresses.length === 0) return;
  try {
    const pools = client.custom<AddressPool>(addressPools);
    await pools.create({ metadata: { name: "lan" }, spec: { addresses: [...addresses] } });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
