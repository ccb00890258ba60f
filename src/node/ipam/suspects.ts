import type { AddressesInUse, Reservation } from "./datastore/port.ts";

/** What a living pod seems not to use. */
export interface Suspect {
  readonly reservation: Reservation;
  readonly inUse: AddressesInUse;
}

/** Longer than an ADD takes until the pod's status tells of it. */
const graceMs = 60_000;

/**
 * Remembers which reservations of living pods seem to be stale. One look may come between an ADD and the
 * status that tells of it; two that agree, a while apart, do not.
 */
export class Suspects {
  readonly #since = new Map<string, { readonly at: number; readonly state: string }>();

  /** Those that have been suspect, and unchanged, for long enough; the others are remembered. */
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

/** Whether a pod has other addresses at the interface, and this one at none. */
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
