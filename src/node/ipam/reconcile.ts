import type { Datastore, LivingOwners, Reservation } from "./datastore/port.ts";
import { releaseUnchanged } from "./release-unchanged.ts";
import { type Suspect, Suspects, seemsStale } from "./suspects.ts";

/** The facts that decide whether a reservation is still needed. */
export interface World {
  readonly now: number;
  /** The name of this node; only reservations of this node can be judged by its network namespaces. */
  readonly node: string;
  /** The owners that are alive; where the datastore knows them, they alone decide. */
  readonly livingOwners?: LivingOwners;
  /** Whether a path of this machine is a network namespace, or cannot be judged. */
  readonly hasNamespace: (path: string) => boolean;
}

/**
 * Releases the reservations that no living pod needs, and returns them. A reservation that a living pod
 * seems not to use is released only when a later look confirms it.
 */
export async function reconcile(
  datastore: Datastore,
  machine: Omit<World, "livingOwners">,
  suspects = new Suspects(),
): Promise<Reservation[]> {
  // Reservations are read before pods: a pod exists before its reservation, so that the owner of each
  // reservation read here is seen alive.
  const reservations = await datastore.reservations();
  if (reservations.length === 0) return [];
  const livingOwners = await datastore.livingOwners();
  const world = { ...machine, ...(livingOwners && { livingOwners }) };
  const stale = suspects.confirm(suspectsAmong(reservations, livingOwners), machine.now);
  return releaseUnchanged(datastore, [...abandoned(reservations, world), ...stale]);
}

function suspectsAmong(
  reservations: readonly Reservation[],
  livingOwners: LivingOwners | undefined,
): Suspect[] {
  return reservations.flatMap((reservation) => {
    const inUse = livingOwners?.get(reservation.owner);
    const isHeld = reservation.keptUntil === undefined;
    return isHeld && inUse !== undefined && seemsStale(reservation, inUse)
      ? [{ reservation, inUse }]
      : [];
  });
}

/** Returns the reservations that nobody needs any more. */
export function abandoned(reservations: readonly Reservation[], world: World): Reservation[] {
  return reservations.filter((reservation) => {
    if (reservation.keptUntil !== undefined) return reservation.keptUntil <= world.now;
    if (world.livingOwners !== undefined) return !world.livingOwners.has(reservation.owner);
    const { node, netns } = reservation;
    return node === world.node && netns !== undefined && !world.hasNamespace(netns);
  });
}
