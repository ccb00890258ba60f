// Properties of a pod's address: who claims it, and which network it belongs to.
import type { PodIP } from "../../types/core.ts";

/** The properties that claim an address for another service controller; either spelling does. */
const claimKeys = [
  "service.kubernetes.io/service-controller-name",
  "service.kubernetes.io/managed-by",
] as const;

/** The property with the network of an address that services do not use. */
export const networkProperty = "tandem.internal/network";

/** The property with the default network's name, on addresses that services use; these have no other. */
export const defaultNetworkProperty = "tandem.internal/default-network";

/** The name of the service controller that claims the address, if one does. */
export function claimantOf({ properties }: PodIP): string | undefined {
  for (const key of claimKeys) {
    const name = properties?.[key];
    if (name) return name;
  }
  return undefined;
}

/** Returns whether services may use an address: nobody claims it, and no further network gave it. */
export function isDefaultAddress(address: PodIP): boolean {
  return claimantOf(address) === undefined && !address.properties?.[networkProperty];
}

/** The addresses that the default network gave a pod, those that services do not use included. */
export function onDefaultNetwork(addresses: readonly PodIP[]): readonly PodIP[] {
  const networks = addresses.map(({ properties }) => properties?.[defaultNetworkProperty]);
  return addresses.filter(({ properties }) => {
    const network = properties?.[networkProperty];
    return !network || networks.includes(network);
  });
}
