import { isAlreadyExists, isConflict, isNotFound } from "../../../../api/client/errors.ts";
import type { Change } from "../optimistic/ledger.ts";
import type { Reservation } from "../port.ts";
import { type Api, isUnknownOutcome } from "./api.ts";
import {
  isOverlapOf,
  newOverlap,
  type Overlap,
  overlapName,
  overlapsPath,
  possibleNames,
  strayName,
} from "./overlap-object.ts";

/** The overlap objects, each of which keeps an address from the other pools of its network. */
export class Overlaps {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Deletes the overlaps of addresses whose holder changes or goes. */
  async release(changes: readonly Change[]): Promise<void> {
    const left = changes.flatMap(({ before, after }) =>
      before !== undefined &&
      isTaken(before) &&
      !(after && isTaken(after) && after.owner === before.owner)
        ? [before]
        : [],
    );
    await Promise.all(left.map((reservation) => this.#releaseOne(reservation)));
  }

  /** Creates overlaps; returns the reservations whose address another pool was faster to take. */
  async take(changes: readonly Change[]): Promise<Reservation[]> {
    const wanted = changes.flatMap(({ after }) => (after && isTaken(after) ? [after] : []));
    const taken = await Promise.all(wanted.map((reservation) => this.#takeOne(reservation)));
    return wanted.filter((_, index) => taken[index] === false);
  }

  async #releaseOne(reservation: Reservation): Promise<void> {
    const stray = strayName(reservation.pool.name);
    const names = stray === undefined ? possibleNames(reservation) : [stray];
    for (const name of names) {
      const overlap = await this.#api.get<Overlap>(this.#path(name));
      if (overlap === undefined) continue;
      if (isOverlapOf(overlap, reservation)) await this.#delete(overlap);
      return;
    }
  }

  async #takeOne(reservation: Reservation): Promise<boolean> {
    for (;;) {
      try {
        await this.#api.create(overlapsPath(this.#api.namespace), newOverlap(reservation));
        return true;
      } catch (error) {
        if (!isAlreadyExists(error) && !isUnknownOutcome(error)) throw error;
      }
      const name = overlapName(reservation.pool.network, reservation.address);
      const existing = await this.#api.get<Overlap>(this.#path(name));
      if (existing !== undefined) return isOverlapOf(existing, reservation);
    }
  }

  async #delete({ metadata: { name, uid } }: Overlap): Promise<void> {
    try {
      await this.#api.delete(this.#path(name), uid === undefined ? {} : { uid });
    } catch (error) {
      // The overlap is gone, or belongs to another by now: either way it is no longer ours.
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }

  #path(name: string): string {
    return overlapsPath(this.#api.namespace, name);
  }
}

function isTaken({ pool, keptUntil }: Reservation): boolean {
  return (pool.guarded || strayName(pool.name) !== undefined) && keptUntil === undefined;
}
