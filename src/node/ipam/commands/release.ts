import type { Address } from "../../../base/net/address.ts";
import type { Datastore, Reservation } from "../datastore/port.ts";
import { releaseUnchanged } from "../release-unchanged.ts";

/** The reservations that an operator wants released: by address, or all of an owner. */
export interface ReleaseWish {
  readonly addresses: readonly Address[];
  readonly owner?: string | undefined;
  /** The network to release in; every network when not given. */
  readonly network?: string | undefined;
}

export interface ReleaseReport {
  readonly released: readonly Reservation[];
  /** The addresses that were asked for but are reserved nowhere. */
  readonly missing: readonly Address[];
}

export async function releaseByHand(
  datastore: Datastore,
  wish: ReleaseWish,
): Promise<ReleaseReport> {
  const { addresses, owner, network } = wish;
  const all = await datastore.reservations();
  const isWanted = (reservation: Reservation) =>
    (network === undefined || reservation.pool.network === network) &&
    (reservation.owner === owner || addresses.some((one) => one.equals(reservation.address)));
  const released = await releaseUnchanged(datastore, all.filter(isWanted));
  const missing = addresses.filter((one) => !released.some(({ address }) => address.equals(one)));
  return { released, missing };
}
