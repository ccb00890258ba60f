import type { Datastore, Reservation } from "./datastore/port.ts";

/** The number of reservations released at once; a datastore that batches writes makes one write of them. */
const atOnce = 64;

/** Releases reservations unless somebody took them over since they were read; returns the released. */
export async function releaseUnchanged(
  datastore: Datastore,
  reservations: readonly Reservation[],
): Promise<Reservation[]> {
  const released: Reservation[] = [];
  for (let start = 0; start < reservations.length; start += atOnce) {
    const batch = reservations.slice(start, start + atOnce);
    const results = await Promise.all(batch.map((one) => releaseOne(datastore, one)));
    released.push(...results.flat());
  }
  return released;
}

function releaseOne(datastore: Datastore, reservation: Reservation): Promise<Reservation[]> {
  const { pool, address, owner, ifname, containerId } = reservation;
  return datastore.transact({ pools: [pool], holder: { owner, ifname, containerId } }, (view) => {
    const current = view.held.filter(
      (held) =>
        held.pool.name === pool.name &&
        held.address.equals(address) &&
        held.containerId === containerId &&
        held.keptUntil === reservation.keptUntil,
    );
    for (const held of current) view.remove(held);
    return current;
  });
}
