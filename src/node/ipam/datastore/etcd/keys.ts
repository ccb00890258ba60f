import { toHexadecimal } from "../hexadecimal.ts";
import type { Holder, Reservation } from "../port.ts";
import type { Space } from "../spaces.ts";

/**
 * A reservation is stored under its owner and under its container, whole in both places, so that
 * either finds it at once. What is taken in a space is one value, and every change of it a revision.
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

/** Where what a holder has begins. */
export function holderPrefixes({ owner, containerId, ifname }: Holder): string[] {
  return [
    ...(owner === undefined ? [] : [`${ownersPrefix}${path(owner, ifname)}/`]),
    ...(containerId ? [`${root}/container/${path(containerId, ifname)}/`] : []),
  ];
}

/** The first is under the owner. */
export function reservationKeys(reservation: Reservation): string[] {
  const { pool, address } = reservation;
  const place = path(pool.name, toHexadecimal(address.family, address.value));
  return holderPrefixes(reservation).map((prefix) => `${prefix}${place}`);
}

function path(...parts: readonly string[]): string {
  return parts.map(encodeURIComponent).join("/");
}
