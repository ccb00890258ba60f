import { AddressTree, type Taken } from "../../../../base/net/range-set.ts";
import {
  byPoolAndAddress,
  matches,
  type Pool,
  type Reservation,
  type Scope,
  type View,
} from "../port.ts";
import { type Space, spacesOf } from "../spaces.ts";

/** The change of one reservation; without `before` it is new, without `after` it is removed. */
export interface Change {
  readonly before?: Reservation;
  readonly after?: Reservation;
}

/** Reservations in memory that decisions read and change; a ledger records its changes. */
export class Ledger {
  readonly #taken = new Map<string, AddressTree>();
  readonly #reservations = new Map<string, Reservation>();
  #changes: Change[] = [];

  /** Adds a stored reservation, which is no change. */
  load(reservation: Reservation): void {
    this.#reservations.set(keyOf(reservation), reservation);
    for (const space of spacesOf(reservation.pool)) this.taken(space).add(reservation.address);
  }

  taken(space: Space): AddressTree {
    const known = this.#taken.get(space.name);
    if (known !== undefined) return known;
    const tree = new AddressTree();
    this.#taken.set(space.name, tree);
    return tree;
  }

  get reservations(): Iterable<Reservation> {
    return this.#reservations.values();
  }

  /** Returns a mark: changes made from now on come after it. */
  mark(): number {
    return this.#changes.length;
  }

  /**
   * Returns the first and the last state of every changed reservation, of all changes or of those since a
   * mark.
   */
  changes(mark = 0): Change[] {
    const folded = new Map<string, Change>();
    for (const change of this.#changes.slice(mark)) {
      const reservation = change.before ?? change.after;
      if (reservation === undefined) continue;
      const key = keyOf(reservation);
      const first = folded.get(key) ?? change;
      folded.set(key, changeOf(first.before, change.after));
    }
    return [...folded.values()].filter(({ before, after }) => before !== after);
  }

  /** Forgets the changes, which are stored by now. */
  settle(): void {
    this.#changes = [];
  }

  /** Lets a decision change the ledger; one that throws leaves it as it was. */
  decide<T>(scope: Scope, decide: (view: View) => T): T {
    const mark = this.#changes.length;
    try {
      return decide(this.#view(scope));
    } catch (error) {
      for (const { before, after } of this.#changes.slice(mark).toReversed()) {
        this.#apply(changeOf(after, before));
      }
      this.#changes = this.#changes.slice(0, mark);
      throw error;
    }
  }

  #view({ holder }: Scope): View {
    const all = [...this.#reservations.values()];
    return {
      held:
        holder === undefined
          ? []
          : all.filter((one) => matches(one, holder)).toSorted(byPoolAndAddress),
      taken: (pool) => spacesOf(pool).map((space): Taken => this.taken(space)),
      kept: (pool) => this.#kept(pool),
      put: (reservation) =>
        this.#change(changeOf(this.#reservations.get(keyOf(reservation)), reservation)),
      remove: (reservation) => {
        const before = this.#reservations.get(keyOf(reservation));
        if (before !== undefined) this.#change({ before });
      },
    };
  }

  #kept(pool: Pool): Reservation[] {
    const expiry = ({ keptUntil = 0 }: Reservation) => keptUntil;
    return [...this.#reservations.values()]
      .filter((one) => one.keptUntil !== undefined && one.pool.name === pool.name)
      .toSorted((one, other) => expiry(one) - expiry(other));
  }

  #change(change: Change): void {
    this.#apply(change);
    this.#changes.push(change);
  }

  #apply({ before, after }: Change): void {
    if (before !== undefined) {
      this.#reservations.delete(keyOf(before));
      for (const space of spacesOf(before.pool)) this.taken(space).delete(before.address);
    }
    if (after !== undefined) this.load(after);
  }
}

function changeOf(before: Reservation | undefined, after: Reservation | undefined): Change {
  return { ...(before && { before }), ...(after && { after }) };
}

function keyOf({ pool, address }: Reservation): string {
  return `${pool.name} ${address.toString()}`;
}
