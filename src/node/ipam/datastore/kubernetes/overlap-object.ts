import { Address } from "../../../../base/net/address.ts";
import { bitsOf } from "../../../../base/net/family.ts";
import { Prefix } from "../../../../base/net/prefix.ts";
import type { Reservation } from "../port.ts";
import type { Named } from "./api.ts";
import { apiVersion, path } from "./pool-object.ts";

/** The object by which whereabouts keeps an address from the other pools of a network. */
export interface Overlap extends Named {
  readonly spec: {
    readonly podref: string;
    readonly ifname?: string;
    readonly containerid?: string;
  };
}

export function overlapsPath(namespace: string, name?: string): string {
  return path(namespace, "overlappingrangeipreservations", name);
}

export function newOverlap(reservation: Reservation): object {
  const { owner: podref, ifname, containerId: containerid } = reservation;
  return {
    apiVersion,
    kind: "OverlappingRangeIPReservation",
    metadata: { name: overlapName(reservation.pool.network, reservation.address) },
    spec: { podref, ifname, containerid },
  };
}

export function overlapName(network: string, address: Address): string {
  const text = address.toString().replaceAll(":", "-");
  const framed = `${text.startsWith("-") ? "0" : ""}${text}${text.endsWith("-") ? "0" : ""}`;
  return network === "" ? framed : `${network}-${framed}`;
}

/**
 * Whether an overlap belongs to the pod and interface of a reservation; old overlaps do not name the
 * interface.
 */
export function isOverlapOf({ spec }: Overlap, { owner, ifname }: Reservation): boolean {
  return spec.podref === owner && (!spec.ifname || spec.ifname === ifname);
}

/** Returns the address of an overlap, unless it belongs to another network. */
export function overlapAddress(network: string, name: string): Address | undefined {
  if (network === "") return parse(name);
  return name.startsWith(`${network}-`) ? parse(name.slice(network.length + 1)) : undefined;
}

/**
 * Returns the names that an overlap may have when it is unknown which part of a pool's name is the
 * network.
 */
export function possibleNames({ pool, address }: Reservation): string[] {
  const parts = pool.network.split("-");
  const networks = parts.map((_, index) => parts.slice(0, parts.length - index).join("-"));
  return [...new Set([...networks, ""])].map((network) => overlapName(network, address));
}

/** Turns an overlap that no pool has an allocation for into a reservation in a pool of its own. */
export function strayReservation({ metadata: { name }, spec }: Overlap): Reservation | undefined {
  const starts = [0, ...[...name.matchAll(/-/g)].map(({ index }) => index + 1)];
  const address = starts.map((start) => parse(name.slice(start))).find((one) => one !== undefined);
  if (address === undefined) return undefined;
  const range = Prefix.of(address, bitsOf(address.family));
  const { podref: owner, ifname = "", containerid: containerId = "" } = spec;
  const pool = { name: `${strayMark}${name}`, range, network: "", guarded: false };
  return { pool, address, owner, ifname, containerId };
}

/** Returns the overlap's name when a pool stands for a stray overlap. */
export function strayName(poolName: string): string | undefined {
  return poolName.startsWith(strayMark) ? poolName.slice(strayMark.length) : undefined;
}

/** The prefix of the pool names of stray overlaps; no real pool's name has a slash. */
const strayMark = "overlapping/";

function parse(text: string): Address | undefined {
  return Address.tryParse(text.includes(".") ? text : text.replaceAll("-", ":"));
}
