import { Address } from "../../../base/net/address.ts";
import type { FieldError } from "../../fields/field-error.ts";
import { invalid, notSupported, required } from "../../fields/field-errors.ts";
import { completePair, type PairHolder, reconcilePair, valuesOf } from "../../pairs/pair.ts";
import { endpointIPs } from "../../pairs/pairs.ts";
import type { EndpointAddress, EndpointSubset, Endpoints } from "../../types/core.ts";
import { reachableAddressErrors } from "../address-errors.ts";
import type { Kind } from "../kind.ts";
import { endpointsTable } from "./table.ts";

const protocols = ["SCTP", "TCP", "UDP"];
const lists = ["addresses", "notReadyAddresses"] as const;
/** The patches that remove fields on purpose; others replace subsets, perhaps without knowing all fields. */
const removingPatches = ["json", "apply"];

export const endpoints: Kind<Endpoints> = {
  default({ subsets = [] }) {
    for (const { ports = [] } of subsets) {
      for (const port of ports) port.protocol ??= "TCP";
    }
  },
  upgrade({ subsets = [] }) {
    for (const { address } of everyAddress(subsets)) completePair(holderOf(address), endpointIPs);
  },
  removable: lists.map((list) => ["subsets", list, "ips"]),
  reconcile(object, { old, patch }) {
    const stored = storedAddresses(old?.subsets ?? []);
    const isRemoving = patch !== undefined && removingPatches.includes(patch);
    const errors: FieldError[] = [];
    for (const { address, path } of everyAddress(object.subsets ?? [])) {
      const before = stored.get(identityOf(address));
      const outcome = reconcilePair(holderOf(address), endpointIPs, {
        path,
        isPatch: patch !== undefined,
        absent: isRemoving ? "removed" : "kept",
        ...(before === undefined ? {} : { old: holderOf(before) }),
      });
      errors.push(...outcome.errors);
    }
    return { errors, warnings: [] };
  },
  validate: ({ subsets = [] }) => subsets.flatMap(subsetErrors),
  table: endpointsTable,
};

function subsetErrors(subset: EndpointSubset, index: number): FieldError[] {
  const path = `subsets[${index}]`;
  const errors: FieldError[] = [];
  if (lists.every((list) => (subset[list] ?? []).length === 0)) {
    errors.push(required(path, "must specify `addresses` or `notReadyAddresses`"));
  }
  for (const { address, path: addressPath } of everyAddress([subset], index)) {
    errors.push(...addressErrors(address, addressPath));
  }
  for (const [portIndex, { port, protocol, name }] of (subset.ports ?? []).entries()) {
    const portPath = `${path}.ports[${portIndex}]`;
    if (!Number.isInteger(port) || port < 1 || port > 65_535) {
      errors.push(invalid(`${portPath}.port`, port, "must be between 1 and 65535, inclusive"));
    }
    if (!protocols.includes(protocol ?? "")) {
      errors.push(notSupported(`${portPath}.protocol`, protocol, protocols));
    }
    if ((subset.ports ?? []).length > 1 && !name) errors.push(required(`${portPath}.name`));
  }
  return errors;
}

function addressErrors(address: EndpointAddress, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const values = valuesOf(holderOf(address), endpointIPs);
  if (values.length === 0) errors.push(required(`${path}.ip`));
  const seen = new Set<string>();
  for (const [index, text] of values.entries()) {
    const field = index === 0 ? `${path}.ip` : `${path}.ips[${index}]`;
    errors.push(...reachableAddressErrors(field, text));
    const family = Address.tryParse(text)?.family;
    if (family === undefined) continue;
    if (seen.has(family)) {
      errors.push(invalid(field, text, `may specify no more than one ${family} address`));
    }
    seen.add(family);
  }
  return errors;
}

function* everyAddress(
  subsets: readonly EndpointSubset[],
  firstIndex = 0,
): Iterable<{ address: EndpointAddress; path: string }> {
  for (const [index, subset] of subsets.entries()) {
    for (const list of lists) {
      for (const [position, address] of (subset[list] ?? []).entries()) {
        yield { address, path: `subsets[${firstIndex + index}].${list}[${position}]` };
      }
    }
  }
}

/** Indexes stored addresses by their first address: subsets have no keys to merge by. */
function storedAddresses(subsets: readonly EndpointSubset[]): Map<string, EndpointAddress> {
  const stored = new Map<string, EndpointAddress>();
  for (const { address } of everyAddress(subsets)) stored.set(identityOf(address), address);
  return stored;
}

function identityOf(address: EndpointAddress): string {
  return endpointIPs.canonical(address.ip ?? address.ips?.[0] ?? "");
}

function holderOf(address: EndpointAddress): PairHolder & EndpointAddress {
  return address as PairHolder & EndpointAddress;
}
