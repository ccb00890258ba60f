import { Address } from "../../../base/net/address.ts";
import type { FieldError } from "../../fields/field-error.ts";
import { duplicate, invalid, required } from "../../fields/field-errors.ts";
import {
  dnsLabel,
  dnsSubdomain,
  labelValue,
  type NameRule,
  qualifiedName,
} from "../../fields/names.ts";
import type { Endpoint, EndpointPort, EndpointSlice } from "../../types/discovery.ts";
import { reachableAddressErrors } from "../address-errors.ts";
import { each, isRepeated, named, optionalName, tooMany } from "../checks.ts";
import { validateLabels } from "../metadata.ts";

const addressTypes = ["FQDN", "IPv4", "IPv6"];
const max = { endpoints: 1000, addresses: 100, ports: 20_000, hints: 8, topology: 16 };

export function validateEndpointSlice(slice: EndpointSlice): FieldError[] {
  const { addressType, endpoints = [], ports = [] } = slice;
  const surplus = tooMany("endpoints", endpoints.length, max.endpoints);
  return [
    ...portErrors(ports),
    ...(surplus.length > 0
      ? surplus
      : each(endpoints, "endpoints", (endpoint, path) =>
          endpointErrors(endpoint, addressType, path),
        )),
  ];
}

function portErrors(ports: readonly EndpointPort[]): FieldError[] {
  const surplus = tooMany("ports", ports.length, max.ports);
  if (surplus.length > 0) return surplus;
  const names = new Set<string>();
  return each(ports, "ports", ({ name = "", appProtocol }, path) => [
    ...optionalName(`${path}.name`, name, dnsLabel),
    ...(isRepeated(names, name) ? [duplicate(`${path}.name`, name)] : []),
    ...(appProtocol === undefined ? [] : named(`${path}.appProtocol`, appProtocol, qualifiedName)),
  ]);
}

function endpointErrors(endpoint: Endpoint, addressType: string, path: string): FieldError[] {
  const { nodeName, hostname, hints, deprecatedTopology = {} } = endpoint;
  const addresses = endpoint.addresses ?? [];
  const field = `${path}.addresses`;
  return [
    ...(addresses.length === 0 ? [required(field, "must contain at least 1 address")] : []),
    ...tooMany(field, addresses.length, max.addresses),
    ...each(addresses, field, (text, one) =>
      addressType === "FQDN" ? domainErrors(one, text) : familyErrors(text, addressType, one),
    ),
    ...(nodeName === undefined ? [] : named(`${path}.nodeName`, nodeName, dnsSubdomain)),
    ...(hostname === undefined ? [] : named(`${path}.hostname`, hostname, dnsLabel)),
    ...hintErrors(hints?.forZones ?? [], `${path}.hints.forZones`, labelValue),
    ...hintErrors(hints?.forNodes ?? [], `${path}.hints.forNodes`, dnsSubdomain),
    ...tooMany(`${path}.deprecatedTopology`, Object.keys(deprecatedTopology).length, max.topology),
    ...validateLabels(deprecatedTopology, `${path}.deprecatedTopology`),
  ];
}

function familyErrors(text: string, addressType: string, field: string): FieldError[] {
  const family = Address.tryParse(text)?.family;
  const isOther = family !== undefined && family !== addressType;
  const list = field.slice(0, field.lastIndexOf("["));
  if (isOther && addressTypes.includes(addressType)) {
    return [invalid(list, text, `must be an ${addressType} address`)];
  }
  return reachableAddressErrors(field, text);
}

function domainErrors(field: string, text: string): FieldError[] {
  if (text === "") return [required(field)];
  const name = text.endsWith(".") ? text.slice(0, -1) : text;
  const problems = dnsSubdomain(name);
  if (problems.length > 0) return [invalid(field, name, problems.join(","))];
  const labels = name.split(".");
  if (labels.length < 2) {
    const detail = "should be a domain with at least two segments separated by dots";
    return [invalid(field, name, detail)];
  }
  const wrong = labels.find((label) => dnsLabel(label).length > 0);
  return wrong === undefined ? [] : [invalid(field, wrong, dnsLabel(wrong).join(","))];
}

function hintErrors(
  hints: readonly { name: string }[],
  path: string,
  rule: NameRule,
): FieldError[] {
  const surplus = tooMany(path, hints.length, max.hints);
  if (surplus.length > 0) return surplus;
  const names = new Set<string>();
  return each(hints, path, ({ name }, one) => [
    ...(isRepeated(names, name) ? [duplicate(`${one}.name`, name)] : []),
    ...named(`${one}.name`, name, rule),
  ]);
}
