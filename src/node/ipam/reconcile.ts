import { existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import type { Datastore, LivingOwners, Reservation } from "./datastore/port.ts";
import { systemCode } from "./errors.ts";
import { releaseUnchanged } from "./release-unchanged.ts";
import { type Suspect, Suspects, seemsStale } from "./suspects.ts";

/** The facts that decide whether a reservation is still needed. */
export interface World {
  readonly now: number;
  /** The name of this node; only reservations of this node can be judged by its network namespaces. */
  readonly node: string;
  /** The owners that are alive; where the datastore knows them, they alone decide. */
  readonly livingOwners?: LivingOwners;
  hasNamespace(path: string): boolean;
}

/**
 * Releases the reservations that no living pod needs, and returns them. A reservation that a living pod
 * seems not to use is released only when a later look confirms it.
 */
export async function reconcile(
  datastore: Datastore,
  machine: Pick<World, "now" | "node">,
  suspects = new Suspects(),
): Promise<Reservation[]> {
  // Reservations are read before pods: a pod exists before its reservation, so that the owner of each
  // reservation read here is seen alive.
  const reservations = await datastore.reservations();
  if (reservations.length === 0) return [];
  const livingOwners = await datastore.livingOwners();
  const world = { ...machine, hasNamespace, ...(livingOwners && { livingOwners }) };
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

/** The type that statfs(2) reports for the file system of namespaces. */
const nsfs = 0x6e736673;

/**
 * Whether a path is a namespace. A path that cannot be judged, such as one in a directory that is not
 * mounted here, counts as one.
 */
function hasNamespace(path: string): boolean {
  try {
    return statfsSync(path).type === nsfs;
  } catch (error) {
    const code = systemCode(error) ?? "";
    if (!["ENOENT", "ENOTDIR", "ESRCH"].includes(code)) return true;
    return !existsSync(dirname(path)) && !path.startsWith("/proc/");
  }
}
