import { toHexadecimal } from "../hexadecimal.ts";
import type { Holder, Reservation } from "../port.ts";
import type { Space } from "../spaces.ts";

/**
 * The root of all keys. A reservation is stored whole both under its owner and under its container, so
 * that either finds it with one read. The taken addresses of a space are one value, so that every change
 * of them is a revision.
 */
const root = "/tandem-ipam/v1";

export const ownersPrefix = `${root}/owner/`;

const spacesPrefix = `${root}/space/`;

export function spaceKey({ name }: Space): string {
  return `${spacesPrefix}${name}`;
}

export function spaceName(key: string): string {
  return key.slice(spacesPrefix.length);
}

export function slicesKey(table: string): string {
  return `${root}/slices/${path(table)}`;
}

/** Returns the key prefixes of a holder's reservations. */
export function holderPrefixes({ owner, containerId, ifname }: Holder): string[] {
  return [
    ...(owner === undefined ? [] : [`${ownersPrefix}${path(owner, ifname)}/`]),
    ...(containerId ? [`${root}/container/${path(containerId, ifname)}/`] : []),
  ];
}

/** Returns the keys of a reservation; the first is under its owner. */
export function reservationKeys(reservation: Reservation): string[] {
  const { pool, address } = reservation;
  const place = path(pool.name, toHexadecimal(address.family, address.value));
  return holderPrefixes(reservation).map((prefix) => `${prefix}${place}`);
}

function path(...parts: readonly string[]): string {
  return parts.map(encodeURIComponent).join("/");
}
