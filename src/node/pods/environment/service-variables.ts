// The environment variables that tell pods of services.

import type { Service } from "../../../api/types/core.ts";
import { Address } from "../../../base/net/address.ts";

/**
 * Returns the variables of services, in Kubernetes' style and in that of Docker links. A dual-stack service
 * also has one host variable for each family.
 */
export function serviceVariables(services: readonly Service[]): Record<string, string> {
  return Object.assign({}, ...services.map(variablesOf)) as Record<string, string>;
}

/**
 * Returns the services a pod is told of: the API's, and those of its namespace unless it sets
 * enableServiceLinks to false.
 */
export function servicesFor(
  services: readonly Service[],
  pod: { readonly namespace: string; readonly hasLinks: boolean },
): readonly Service[] {
  const isApi = ({ metadata }: Service) =>
    metadata.namespace === "default" && metadata.name === "kubernetes";
  const beside = services.filter(
    (service) => service.metadata.namespace === pod.namespace && pod.hasLinks,
  );
  // A service `kubernetes` in the pod's namespace comes later and so overrides the API's.
  return [...services.filter(isApi), ...beside].filter(({ spec }) => addressesOf(spec).length > 0);
}

function variablesOf({ metadata, spec }: Service): Record<string, string> {
  const prefix = upper(metadata.name);
  const addresses = addressesOf(spec);
  const [first] = addresses;
  const ports = spec.ports ?? [];
  if (first === undefined) return {};
  const variables: Record<string, string> = { [`${prefix}_SERVICE_HOST`]: String(first) };
  for (const address of addresses.length > 1 ? addresses : []) {
    variables[`${prefix}_SERVICE_HOST_${address.family.toUpperCase()}`] = String(address);
  }
  for (const [index, { name = "", port, protocol = "TCP" }] of ports.entries()) {
    const url = `${protocol.toLowerCase()}://${hostInUrl(first)}:${port}`;
    const link = `${prefix}_PORT_${port}_${protocol.toUpperCase()}`;
    if (index === 0) {
      variables[`${prefix}_SERVICE_PORT`] = String(port);
      variables[`${prefix}_PORT`] = url;
    }
    if (name !== "") variables[`${prefix}_SERVICE_PORT_${upper(name)}`] = String(port);
    variables[link] = url;
    variables[`${link}_PROTO`] = protocol.toLowerCase();
    variables[`${link}_PORT`] = String(port);
    variables[`${link}_ADDR`] = String(first);
  }
  return variables;
}

/** Returns the cluster IPs; headless and ExternalName services have none. */
function addressesOf({ clusterIP = "", clusterIPs = [clusterIP] }: Service["spec"]): Address[] {
  return clusterIPs.flatMap((text) => Address.tryParse(text) ?? []);
}

function hostInUrl(address: Address): string {
  return address.family === "IPv6" ? `[${address.toString()}]` : address.toString();
}

function upper(name: string): string {
  return name.toUpperCase().replaceAll("-", "_");
}
