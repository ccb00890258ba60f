import type { Address } from "../../../base/net/address.ts";
import type { Datastore, Reservation } from "../datastore/port.ts";
import { releaseUnchanged } from "../release-unchanged.ts";

/** What a person wants released: addresses, or all that an owner has. */
export interface ReleaseWish {
  readonly addresses: readonly Address[];
  readonly owner?: string | undefined;
  /** Only in this network; in every one when not given. */
  readonly network?: string | undefined;
}

export interface ReleaseReport {
  readonly released: readonly Reservation[];
  /** Asked for, but reserved nowhere. */
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
