// The rules for virtual IPs that hold everywhere: in install-config, in Infrastructure objects and in the
// service. Each of these has further rules and messages of its own.

import type { Address } from "../../base/net/address.ts";
import type { Prefix } from "../../base/net/prefix.ts";

/** The addresses and networks that a cluster uses already. */
export interface Taken {
  readonly nodes: readonly NodeAddress[];
  readonly machineNetworks: readonly Prefix[];
  readonly podNetworks: readonly Prefix[];
  readonly serviceNetworks: readonly Prefix[];
}

export interface NodeAddress {
  readonly node: string;
  readonly address: Address;
}

/** The reason why an address cannot be a VIP, as the end of a sentence that begins with it. */
export function vipConflict(vip: Address, taken: Taken): string | undefined {
  if (vip.isUnspecified) return "is the unspecified address";
  if (vip.isLoopback) return "is a loopback address";
  if (vip.isMulticast) return "is a multicast address";
  const owner = taken.nodes.find(({ address }) => address.equals(vip));
  if (owner !== undefined) return `is the address of node ${owner.node}`;
  const pods = taken.podNetworks.find((network) => network.contains(vip));
  if (pods !== undefined) return `is in the pod network ${pods}`;
  const services = taken.serviceNetworks.find((network) => network.contains(vip));
  if (services !== undefined) return `is in the service network ${services}`;
  return taken.machineNetworks.flatMap((network) => reserved(vip, network) ?? [])[0];
}

/** The addresses that another node before them has as well. */
export function sharedAddresses(nodes: readonly NodeAddress[]): NodeAddress[] {
  return nodes.filter(({ address }, index) =>
    nodes.slice(0, index).some((before) => before.address.equals(address)),
  );
}

/** The reason why an address is reserved in its network; networks of one or two addresses reserve none. */
function reserved(vip: Address, network: Prefix): string | undefined {
  if (network.family !== vip.family || network.size <= 2n) return undefined;
  if (vip.equals(network.first)) {
    return vip.family === "IPv4"
      ? `is the network address of ${network}`
      : `is the subnet-router anycast address of ${network}`;
  }
  const isBroadcast = vip.family === "IPv4" && vip.equals(network.last);
  return isBroadcast ? `is the broadcast address of ${network}` : undefined;
}
