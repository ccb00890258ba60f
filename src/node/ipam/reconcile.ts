import { existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import type { Datastore, LivingOwners, Reservation } from "./datastore/port.ts";
import { systemCode } from "./errors.ts";
import { releaseUnchanged } from "./release-unchanged.ts";
import { type Suspect, Suspects, seemsStale } from "./suspects.ts";

/** What decides whether a reservation is still needed. */
export interface World {
  readonly now: number;
  /** Only what this machine has reserved can be judged by its namespaces. */
  readonly node: string;
  /** Where the datastore knows them, they alone count. */
  readonly livingOwners?: LivingOwners;
  hasNamespace(path: string): boolean;
}

/**
 * Releases what no living pod needs, and returns it. What a living pod seems not to use is released once
 * the suspects of an earlier look confirm it; one look alone is not enough.
 */
export async function reconcile(
  datastore: Datastore,
  machine: Pick<World, "now" | "node">,
  suspects = new Suspects(),
): Promise<Reservation[]> {
  // In this order: a pod is there before its reservation, so one reserved by now is seen alive.
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

/** The reservations nobody needs any more. */
export function abandoned(reservations: readonly Reservation[], world: World): Reservation[] {
  return reservations.filter((reservation) => {
    if (reservation.keptUntil !== undefined) return reservation.keptUntil <= world.now;
    if (world.livingOwners !== undefined) return !world.livingOwners.has(reservation.owner);
    const { node, netns } = reservation;
    return node === world.node && netns !== undefined && !world.hasNamespace(netns);
  });
}

/** What statfs(2) calls the file system of namespaces. */
const nsfs = 0x6e736673;

/** A path we cannot judge, such as one in a directory that is not mounted here, counts as there. */
function hasNamespace(path: string): boolean {
  try {
    return statfsSync(path).type === nsfs;
  } catch (error) {
    const code = systemCode(error) ?? "";
    if (!["ENOENT", "ENOTDIR", "ESRCH"].includes(code)) return true;
    return !existsSync(dirname(path)) && !path.startsWith("/proc/");
  }
}
