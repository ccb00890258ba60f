// The addresses in a pod's status: which of the plugins' addresses it lists, in which order and with which
// properties.

import { defaultNetworkProperty, networkProperty } from "../../api/kinds/pod.ts";
import type { HostIP, PodIP } from "../../api/types/core.ts";
import { defined } from "../../base/json/defined.ts";
import type { Address } from "../../base/net/address.ts";
import { type Family, otherFamily } from "../../base/net/family.ts";
import type { PodAddress } from "./port.ts";

const interfaceProperty = "tandem.internal/interface";
const gatewayProperty = "tandem.internal/gateway";
const claimProperty = "service.kubernetes.io/service-controller-name";

/**
 * Returns a pod's addresses as its status records them. The default network's first address of each family
 * comes first, with the network's name under a property of its own, since services use the addresses without
 * the mark of a further network. All others follow, marked, in the plugins' order.
 */
export function podIPsOf(addresses: readonly PodAddress[], firstFamily: Family): PodIP[] {
  const recorded = distinct(addresses.filter(({ address }) => !address.isLinkLocal));
  const primary = inOrder(firstFamily).flatMap((family) => {
    const found = recorded.find((each) => each.isDefault && each.address.family === family);
    return found === undefined ? [] : [found];
  });
  const further = recorded.filter((each) => !primary.includes(each));
  return [
    ...primary.map((each) => recordOf(each, defaultNetworkProperty)),
    ...further.map((each) => recordOf(each, networkProperty)),
  ];
}

function recordOf(each: PodAddress, networkKey: string): PodIP {
  const properties = { [networkKey]: each.network, ...propertiesOf(each) };
  return { ip: String(each.address), properties };
}

/** Returns the node's first address of each family that is not link-local, for status.hostIPs. */
export function hostIPsOf(addresses: readonly Address[], firstFamily: Family): HostIP[] {
  return inOrder(firstFamily).flatMap((family) => {
    const found = addresses.find((address) => address.family === family && !address.isLinkLocal);
    return found === undefined ? [] : [{ ip: String(found) }];
  });
}

function inOrder(firstFamily: Family): readonly Family[] {
  return [firstFamily, otherFamily(firstFamily)];
}

function propertiesOf({ interface: name, gateway, serviceController }: PodAddress) {
  return {
    [interfaceProperty]: name,
    ...(gateway === undefined ? {} : { [gatewayProperty]: String(gateway) }),
    ...defined({ [claimProperty]: serviceController }),
  };
}

function distinct(addresses: readonly PodAddress[]): readonly PodAddress[] {
  const seen = new Map(addresses.toReversed().map((each) => [String(each.address), each]));
  return addresses.filter((each) => seen.get(String(each.address)) === each);
}
