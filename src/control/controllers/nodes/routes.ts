// Computes the routes that a provider's table should hold: every pod CIDR of every node, through the node.

import type { Node } from "../../../api/types/core.ts";
import { Address } from "../../../base/net/address.ts";
import { Prefix } from "../../../base/net/prefix.ts";
import type { Route } from "./provider.ts";

export interface RouteChanges {
  readonly add: readonly Route[];
  readonly remove: readonly Route[];
}

export function routesTo(nodes: readonly Node[]): Route[] {
  return nodes.flatMap((node) => {
    const addresses = internalAddresses(node);
    const prefixes = (node.spec.podCIDRs ?? []).flatMap((text) => Prefix.tryParse(text) ?? []);
    return prefixes.flatMap((destination) => {
      const same = addresses.filter(({ family }) => family === destination.family);
      const gateways = same.length > 0 ? same : addresses;
      return gateways.length === 0 ? [] : [{ node: node.metadata.name, destination, gateways }];
    });
  });
}

/** Plans changes. Only routes in the cluster's CIDRs are ours to remove. */
export function routeChanges(
  wanted: readonly Route[],
  present: readonly Route[],
  clusterCidrs: readonly Prefix[],
): RouteChanges {
  const wantedKeys = new Set(wanted.map(keyOfRoute));
  const presentKeys = new Set(present.map(keyOfRoute));
  return {
    add: wanted.filter((route) => !presentKeys.has(keyOfRoute(route))),
    remove: present.filter(
      (route) =>
        !wantedKeys.has(keyOfRoute(route)) &&
        clusterCidrs.some((cidr) => cidr.contains(route.destination)),
    ),
  };
}

function internalAddresses({ status }: Node): Address[] {
  return (status?.addresses ?? [])
    .filter(({ type }) => type === "InternalIP")
    .flatMap(({ address }) => Address.tryParse(address) ?? []);
}

function keyOfRoute({ node, destination, gateways }: Route): string {
  return `${destination} ${node} ${gateways.join()}`;
}
