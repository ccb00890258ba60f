import type { AddressesInUse, Reservation } from "./datastore/port.ts";

/** A reservation that its living pod seems not to use. */
export interface Suspect {
  readonly reservation: Reservation;
  readonly inUse: AddressesInUse;
}

/**
 * The time that a suspect must stay one: longer than it takes from ADD until the pod's status shows the
 * address.
 */
const graceMs = 60_000;

/**
 * Remembers which reservations of living pods seem to be stale. A single look may fall between an ADD and
 * the status that shows its address; two that agree, a while apart, do not.
 */
export class Suspects {
  readonly #since = new Map<string, { readonly at: number; readonly state: string }>();

  /**
   * Returns the reservations that have been suspect, and unchanged, for long enough; remembers the
   * others.
   */
  confirm(suspects: readonly Suspect[], now: number): Reservation[] {
    const keys = new Set(suspects.map(({ reservation }) => keyOf(reservation)));
    for (const key of this.#since.keys()) if (!keys.has(key)) this.#since.delete(key);
    return suspects.flatMap((suspect) => {
      const key = keyOf(suspect.reservation);
      const state = stateOf(suspect);
      const known = this.#since.get(key);
      if (known?.state !== state) {
        this.#since.set(key, { at: now, state });
        return [];
      }
      return now - known.at >= graceMs ? [suspect.reservation] : [];
    });
  }
}

/** Whether a pod has other addresses on the reservation's interface, and the reserved one on none. */
export function seemsStale({ address, ifname }: Reservation, inUse: AddressesInUse): boolean {
  const own = inUse.get(ifname) ?? [];
  const isUsed = [...inUse.values()].some((all) => all.some((one) => one.equals(address)));
  return own.length > 0 && !isUsed;
}

function keyOf({ pool, address }: Reservation): string {
  return `${pool.name} ${address.toString()}`;
}

function stateOf({ reservation, inUse }: Suspect): string {
  const { owner, ifname, containerId } = reservation;
  return JSON.stringify([owner, ifname, containerId, [...inUse]]);
}
