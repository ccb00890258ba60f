import { invalid as invalidField } from "../../../api/fields/field-errors.ts";
import { isHeadless, needsClusterIP } from "../../../api/kinds/service.ts";
import type { Service } from "../../../api/types/core.ts";
import { Address } from "../../../base/net/address.ts";
import { internal, invalid } from "../errors.ts";
import { objectKey } from "../keys.ts";
import type { Companions } from "../resources/companions.ts";
import { chooseAddress, usable } from "./addresses.ts";
import { type Attempt, type ServiceChange, serviceKind } from "./plan.ts";
import { addressCollection, encodeAddress } from "./reservations.ts";

export async function planAddresses(
  { old, new: service }: ServiceChange,
  attempt: Attempt,
): Promise<Companions> {
  const held = new Set(old === undefined ? [] : allocatedAddresses(old));
  const wanted = service === undefined ? [] : await completeAddresses(service, held, attempt);
  const added = wanted.filter((address) => !held.has(address));
  const released = [...held].filter((address) => !wanted.includes(address));
  const { now, random } = attempt.options;
  const mark = { now: now(), random };
  return {
    compare: added.map((address) => ({ key: addressKey(address), modified: 0 })),
    operations: [
      ...added.map((address) => ({
        type: "put" as const,
        key: addressKey(address),
        value: encodeAddress(address, service?.metadata ?? {}, mark),
      })),
      ...released.map((address) => ({ type: "delete" as const, key: addressKey(address) })),
    ],
  };
}

/** Returns the addresses a service holds. */
export function allocatedAddresses(service: Service): string[] {
  if (!needsClusterIP(service) || isHeadless(service)) return [];
  return (service.spec.clusterIPs ?? []).filter((address) => address !== "");
}

/** Completes the cluster IPs, one per family: those not requested are chosen. */
async function completeAddresses(
  service: Service,
  held: ReadonlySet<string>,
  attempt: Attempt,
): Promise<string[]> {
  const { spec, metadata } = service;
  if (!needsClusterIP(service) || isHeadless(service)) return [];
  const { addresses: taken, random, ranges } = attempt.options;
  const result: string[] = [];
  for (const [index, family] of (spec.ipFamilies ?? []).entries()) {
    const requested = spec.clusterIPs?.[index];
    if (requested) {
      if (!held.has(requested)) await checkRequested(service, index, attempt);
      result.push(requested);
      continue;
    }
    const options = { taken, chosen: new Set(result), fraction: () => random.fraction() };
    const address = chooseAddress(ranges(family), options);
    if (address === undefined) {
      const state = `the ${family} service range is full`;
      throw internal(new Error(`Cannot allocate a cluster IP for ${metadata.name}: ${state}`));
    }
    result.push(address.toString());
  }
  spec.clusterIPs = result;
  if (result[0] !== undefined) spec.clusterIP = result[0];
  return result;
}

async function checkRequested(service: Service, index: number, attempt: Attempt): Promise<void> {
  const { store, addresses, ranges } = attempt.options;
  const requested = service.spec.clusterIPs?.[index] ?? "";
  const refuse = (state: string): Error => {
    const detail = `failed to allocate IP ${requested}: ${state}`;
    const error = invalidField(`spec.clusterIPs[${index}]`, requested, detail);
    return invalid(serviceKind, service.metadata.name ?? "", [error]);
  };
  const address = Address.parse(requested);
  const valid = ranges(address.family);
  if (!valid.some((range) => usable(range)?.contains(address))) {
    // The range of the settings is that of the object "kubernetes", too.
    const list = [...new Set(valid.map(String))].join(", ");
    throw refuse(`the provided IP is not in the valid range. The range of valid IPs is ${list}`);
  }
  // The store decides whether the address is taken, since the cache may be behind.
  const mayBeTaken = addresses.has(requested) || attempt.number > 0;
  if (mayBeTaken && (await store.get(addressKey(requested))) !== undefined) {
    throw refuse("provided IP is already allocated");
  }
}

function addressKey(address: string): string {
  return objectKey(addressCollection, "", address);
}
