// How pods are told of services through variables.

import type { Service } from "../../../api/types/core.ts";
import { Address } from "../../../base/net/address.ts";

/** Of both styles, and one host for each family where a service has both. */
export function serviceVariables(services: readonly Service[]): Record<string, string> {
  return Object.assign({}, ...services.map(variablesOf)) as Record<string, string>;
}

/** Those a pod hears of: the API itself, and those beside it unless it wants to hear of none. */
export function servicesFor(
  services: readonly Service[],
  pod: { readonly namespace: string; readonly hasLinks: boolean },
): readonly Service[] {
  const isApi = ({ metadata }: Service) =>
    metadata.namespace === "default" && metadata.name === "kubernetes";
  const beside = services.filter(
    (service) => service.metadata.namespace === pod.namespace && pod.hasLinks,
  );
  // One of the same name beside the pod comes later, and so counts.
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

/** None of headless services and of those that are only names. */
function addressesOf({ clusterIP = "", clusterIPs = [clusterIP] }: Service["spec"]): Address[] {
  return clusterIPs.flatMap((text) => Address.tryParse(text) ?? []);
}

function hostInUrl(address: Address): string {
  return address.family === "IPv6" ? `[${address.toString()}]` : address.toString();
}

function upper(name: string): string {
  return name.toUpperCase().replaceAll("-", "_");
}
