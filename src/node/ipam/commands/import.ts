import { isObject } from "../../../base/json/value.ts";
import { type JsonObject } from "../config/fields.ts";
import { type IpPool, poolFrom, reservationsOf } from "../datastore/kubernetes/pool-object.ts";
import type { Datastore, Reservation } from "../datastore/port.ts";

export interface ImportReport {
  readonly imported: readonly Reservation[];
  /** The reservations that were there already, with the same holder. */
  readonly present: readonly Reservation[];
  /** The reservations whose address another holder has. */
  readonly refused: readonly Reservation[];
}

/** Reads the reservations of IPPool objects: one object, a list of them, or several documents. */
export function readPools(documents: readonly unknown[]): Reservation[] {
  const objects = documents.filter(isObject).flatMap((document) => {
    return Array.isArray(document.items)
      ? (document.items as unknown[]).filter(isObject)
      : [document];
  });
  return objects.filter(isPool).flatMap((object) => reservationsOf(object, poolFrom(object)));
}

/** Imports reservations into a datastore; addresses that are taken there stay as they are. */
export async function importReservations(
  datastore: Datastore,
  reservations: readonly Reservation[],
): Promise<ImportReport> {
  const report: Record<Fate, Reservation[]> = { imported: [], present: [], refused: [] };
  for (const reservation of reservations) {
    report[await importOne(datastore, reservation)].push(reservation);
  }
  return report;
}

type Fate = keyof ImportReport;

function importOne(datastore: Datastore, reservation: Reservation): Promise<Fate> {
  const { pool, address, owner, ifname, containerId } = reservation;
  const scope = { pools: [pool], holder: { owner, ifname, containerId } };
  return datastore.transact(scope, (view) => {
    const isOwn = view.held.some(
      (held) =>
        held.pool.name === pool.name && held.address.equals(address) && held.owner === owner,
    );
    if (isOwn) return "present";
    const isTaken = view.taken(pool).some((taken) => {
      const run = taken.seeker(address.family)(address.value);
      return run !== undefined && run.first <= address.value;
    });
    if (isTaken) return "refused";
    view.put(reservation);
    return "imported";
  });
}

function isPool(object: JsonObject): object is JsonObject & IpPool {
  return object.kind === "IPPool" && isObject(object.spec) && isObject(object.metadata);
}
