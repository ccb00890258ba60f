// Where load balancers have their addresses: on the nodes' LAN, behind all nodes there can be.

import type { Client } from "../../api/client/client.ts";
import { isAlreadyExists } from "../../api/client/errors.ts";
import { UsageError } from "../../base/program/errors.ts";
import { type AddressPool, addressPools } from "../../edge/balancer/balancer.ts";
import { type ClusterSettings, familiesOf } from "./settings.ts";
import { isHighlyAvailable } from "./virtual-addresses.ts";

const [first, last] = [200n, 250n];

/** Throws a UsageError where ingress would have no address. */
export function checkIngress(settings: ClusterSettings): void {
  if (isHighlyAvailable(settings) || balancedRanges(settings).length > 0) return;
  const state = `nodeCidr=${settings.nodeCidr.join(",")} has no room for addresses of load balancers`;
  throw new UsageError(`Cannot use ingress=true: ${state}`);
}

/** Of each family whose range goes that far. */
function balancedRanges(settings: ClusterSettings): string[] {
  const families = familiesOf(settings);
  return settings.nodeCidr
    .filter(({ family, size }) => families.includes(family) && size > last + 1n)
    .map((prefix) => `${prefix.at(first)}-${prefix.at(last)}`);
}

/** Makes it when there is none: what it has become since is its own affair. */
export async function makeLanPool(client: Client, settings: ClusterSettings): Promise<void> {
  const addresses = balancedRanges(settings);
  if (addresses.length === 0) return;
  try {
    const pools = client.custom<AddressPool>(addressPools);
    await pools.create({ metadata: { name: "lan" }, spec: { addresses } });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
