import { Address } from "../../../../base/net/address.ts";
import { Prefix } from "../../../../base/net/prefix.ts";
import { AddressRange } from "../../../../base/net/range.ts";
import { type Pool, type Reservation, rangeName } from "../port.ts";
import type { Named } from "./api.ts";

/** The object of a whereabouts pool: allocations by decimal offset from the range's address. */
export interface IpPool extends PoolHead {
  readonly spec: PoolHead["spec"] & {
    readonly allocations?: Readonly<Record<string, Allocation>> | null;
  };
}

/** A pool without its allocations. */
export interface PoolHead extends Named {
  readonly spec: { readonly range: string };
}

export interface Allocation {
  readonly id: string;
  readonly podref: string;
  readonly ifname?: string;
}

/** The API group of every whereabouts kind. */
const group = "whereabouts.cni.cncf.io";
export const apiVersion = `${group}/v1alpha1`;

export function poolsPath(namespace: string, name?: string): string {
  return path(namespace, "ippools", name);
}

export function newPool(pool: Pool, allocations: Readonly<Record<string, Allocation>>): object {
  const spec = { range: pool.range.toString(), allocations };
  const metadata = { name: pool.name, ...capacityAnnotation(pool) };
  return { apiVersion, kind: "IPPool", metadata, spec };
}

/**
 * The annotation with the number of addresses that are handed out: the size of the range does not tell
 * what is excluded.
 */
const capacityKey = "tandem.internal/capacity";

export function capacityAnnotation({ capacity }: Pool): {
  readonly annotations?: Readonly<Record<string, string>>;
} {
  return capacity === undefined ? {} : { annotations: { [capacityKey]: capacity.toString() } };
}

export function capacityOf({ metadata }: PoolHead): string | undefined {
  return metadata.annotations?.[capacityKey];
}

/**
 * Returns the reservations of a pool. Allocations whose keys are no offsets into the range are left
 * alone.
 */
export function reservationsOf(object: IpPool, pool: Pool): Reservation[] {
  const base = baseOf(object);
  return Object.entries(object.spec.allocations ?? {}).flatMap(([offset, allocation]) => {
    if (!/^-?\d+$/.test(offset)) return [];
    // An offset of 64 bits that was taken for a signed number reads as a negative one.
    const values = [base.value + BigInt(offset), base.value + BigInt(offset) + 2n ** 64n];
    const value = values.find((one) => isWithin(one, pool));
    return value === undefined
      ? []
      : toReservation(pool, Address.of(base.family, value), allocation);
  });
}

/**
 * Returns the addresses below the one that a range is written with, host bits included: whereabouts
 * counts offsets from there and has none for these, so they are not handed out.
 */
export function belowBase(head: PoolHead): AddressRange | undefined {
  const base = baseOf(head);
  const { first } = Prefix.parse(head.spec.range);
  return base.equals(first) ? undefined : AddressRange.of(first, base.plus(-1n));
}

function isWithin(value: bigint, { range }: Pool): boolean {
  return value >= range.first.value && value <= range.last.value;
}

export function offsetOf(head: PoolHead, address: Address): string {
  return address.offsetFrom(baseOf(head)).toString();
}

export function toAllocation({ owner, ifname, containerId, keptUntil }: Reservation): Allocation {
  const id =
    keptUntil === undefined ? containerId : `${keptMark}${new Date(keptUntil).toISOString()}`;
  return { id, podref: owner, ifname };
}

/**
 * The prefix that, in place of a container's id, marks an address which is only kept for its pod to come
 * back.
 */
const keptMark = "kept-until/";

function toReservation(pool: Pool, address: Address, allocation: Allocation): Reservation {
  const { id, podref: owner, ifname = "" } = allocation;
  const keptUntil = id.startsWith(keptMark) ? Date.parse(id.slice(keptMark.length)) : Number.NaN;
  if (Number.isNaN(keptUntil)) return { pool, address, owner, ifname, containerId: id };
  return { pool, address, owner, ifname, containerId: "", keptUntil };
}

/** Returns the address that a range is written with, host bits included. */
function baseOf({ spec: { range } }: PoolHead): Address {
  return Address.parse(range.slice(0, range.indexOf("/")));
}

/** Returns the pool of an object, without the configuration it was made for. */
export function poolFrom(object: IpPool): Pool {
  const { spec } = object;
  const { name } = object.metadata;
  const range = Prefix.parse(spec.range);
  const suffix = rangeName(range);
  const network = name.endsWith(`-${suffix}`) ? name.slice(0, -suffix.length - 1) : "";
  const capacity = capacityOf(object) ?? "";
  const counted = /^\d+$/.test(capacity) ? { capacity: BigInt(capacity) } : {};
  return { name, range, network, guarded: true, ...counted };
}

export function path(namespace: string, plural: string, name?: string): string {
  const collection = `/apis/${apiVersion}/namespaces/${namespace}/${plural}`;
  return name === undefined ? collection : `${collection}/${encodeURIComponent(name)}`;
}
