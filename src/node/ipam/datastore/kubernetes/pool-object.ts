import { Address } from "../../../../base/net/address.ts";
import { Prefix } from "../../../../base/net/prefix.ts";
import { type Pool, type Reservation, rangeName } from "../port.ts";
import type { ApiObject } from "./api.ts";

/** How whereabouts keeps a pool: allocations by decimal offset from the range's address. */
export interface IpPool extends PoolHead {
  readonly spec: PoolHead["spec"] & {
    readonly allocations?: Readonly<Record<string, Allocation>> | null;
  };
}

/** What a pool is beside its allocations. */
export interface PoolHead extends ApiObject {
  readonly spec: { readonly range: string };
}

export interface Allocation {
  readonly id: string;
  readonly podref: string;
  readonly ifname?: string;
}

/** Of all kinds here. */
const group = "whereabouts.cni.cncf.io";
export const apiVersion = `${group}/v1alpha1`;

export function poolsPath(namespace: string, name?: string): string {
  return path(namespace, "ippools", name);
}

export function newPool(pool: Pool, allocations: Readonly<Record<string, Allocation>>): object {
  const spec = { range: pool.range.toString(), allocations };
  return { apiVersion, kind: "IPPool", metadata: { name: pool.name }, spec };
}

/** Allocations whose keys are no offsets into the range are left alone. */
export function reservationsOf(object: IpPool, pool: Pool): Reservation[] {
  const base = baseOf(object);
  return Object.entries(object.spec.allocations ?? {}).flatMap(([offset, allocation]) => {
    const value = /^-?\d+$/.test(offset) ? base.value + BigInt(offset) : -1n;
    if (value < pool.range.first.value || value > pool.range.last.value) return [];
    return toReservation(pool, Address.of(base.family, value), allocation);
  });
}

export function offsetOf(head: PoolHead, address: Address): string {
  return address.offsetFrom(baseOf(head)).toString();
}

export function toAllocation({ owner, ifname, containerId, keptUntil }: Reservation): Allocation {
  const id =
    keptUntil === undefined ? containerId : `${keptMark}${new Date(keptUntil).toISOString()}`;
  return { id, podref: owner, ifname };
}

/** In place of a container's id, where the address only waits for its pod to come back. */
const keptMark = "kept-until/";

function toReservation(pool: Pool, address: Address, allocation: Allocation): Reservation {
  const { id, podref: owner, ifname = "" } = allocation;
  const keptUntil = id.startsWith(keptMark) ? Date.parse(id.slice(keptMark.length)) : Number.NaN;
  if (Number.isNaN(keptUntil)) return { pool, address, owner, ifname, containerId: id };
  return { pool, address, owner, ifname, containerId: "", keptUntil };
}

/** The address a range is written with, host bits and all. */
function baseOf({ spec: { range } }: PoolHead): Address {
  return Address.parse(range.slice(0, range.indexOf("/")));
}

/** A pool as it is found, without the configuration it was made for. */
export function poolFrom({ metadata: { name }, spec }: IpPool): Pool {
  const range = Prefix.parse(spec.range);
  const suffix = rangeName(range);
  const network = name.endsWith(`-${suffix}`) ? name.slice(0, -suffix.length - 1) : "";
  return { name, range, network, guarded: true };
}

export function path(namespace: string, plural: string, name?: string): string {
  const collection = `/apis/${apiVersion}/namespaces/${namespace}/${plural}`;
  return name === undefined ? collection : `${collection}/${encodeURIComponent(name)}`;
}
