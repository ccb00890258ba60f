import { defined } from "../../../../base/json/defined.ts";
import { Ledger } from "../optimistic/ledger.ts";
import type { Pool, Reservation } from "../port.ts";
import { guardOf, ownSpace } from "../spaces.ts";
import type { Named } from "./api.ts";
import {
  type Allocation,
  belowBase,
  capacityAnnotation,
  capacityOf,
  type IpPool,
  newPool,
  offsetOf,
  type PoolHead,
  reservationsOf,
  toAllocation,
} from "./pool-object.ts";

/** The write that changes one pool. */
export interface PoolWrite {
  readonly pool: Pool;
  /** The merge patch of an existing pool; it fails when another writer was faster. */
  readonly patch?: object;
  /** The whole object, for a pool that does not exist yet. */
  readonly object?: object;
}

/** The state read from the pools, and the writes that store its changes. */
export class KubernetesLedger extends Ledger {
  /** The reservations that were given up, since another pool has their address. */
  readonly contested: Reservation[] = [];
  readonly #heads = new Map<string, PoolHead | undefined>();

  loadPool(pool: Pool, object: IpPool | undefined): void {
    this.#heads.set(pool.name, object && headOf(object));
    if (object === undefined) return;
    const withheld = belowBase(object);
    if (withheld !== undefined) this.taken(ownSpace(pool)).add(withheld);
    for (const reservation of reservationsOf(object, pool)) this.load(reservation);
  }

  hasPool({ name }: Pool): boolean {
    return this.#heads.has(name);
  }

  /** Records the pool as the API returned it after a write. */
  settlePool({ name, range }: Pool, { metadata }: Named): void {
    const { spec } = this.#heads.get(name) ?? { spec: { range: range.toString() } };
    this.#heads.set(name, headOf({ metadata, spec }));
  }

  /** Gives up an address that turned out to be taken in a pool which this ledger does not hold. */
  contest(contested: Reservation): void {
    if (!this.#heads.has(contested.pool.name)) return;
    this.contested.push(contested);
    this.decide({ pools: [], holder: contested }, (view) => {
      const own = view.held.find(
        ({ pool, address }) =>
          pool.name === contested.pool.name && address.equals(contested.address),
      );
      if (own?.owner === contested.owner) view.remove(own);
    });
    const guard = guardOf(contested.pool);
    if (guard !== undefined) this.taken(guard).add(contested.address);
  }

  writes(): PoolWrite[] {
    const writes = new Map<
      string,
      { pool: Pool; allocations: Record<string, Allocation | null> }
    >();
    for (const { before, after } of this.changes()) {
      const reservation = after ?? before;
      if (reservation === undefined || !this.#heads.has(reservation.pool.name)) continue;
      const { pool, address } = reservation;
      const write = writes.get(pool.name) ?? { pool, allocations: {} };
      write.allocations[this.#offset(pool, address)] =
        after === undefined ? null : toAllocation(after);
      writes.set(pool.name, write);
    }
    return [...writes.values()].map(({ pool, allocations }) => this.#write(pool, allocations));
  }

  #write(pool: Pool, allocations: Readonly<Record<string, Allocation | null>>): PoolWrite {
    const head = this.#heads.get(pool.name);
    if (head === undefined) {
      const added = Object.entries(allocations).flatMap(([offset, one]) =>
        one === null ? [] : [[offset, one] as const],
      );
      return { pool, object: newPool(pool, Object.fromEntries(added)) };
    }
    const { resourceVersion } = head.metadata;
    const isCounted = capacityOf(head) === pool.capacity?.toString();
    const metadata = { resourceVersion, ...(isCounted ? {} : capacityAnnotation(pool)) };
    return { pool, patch: { metadata, spec: { allocations } } };
  }

  #offset(pool: Pool, address: Reservation["address"]): string {
    const head = this.#heads.get(pool.name);
    return head === undefined
      ? address.offsetFrom(pool.range.first).toString()
      : offsetOf(head, address);
  }
}

/** Returns a pool without its allocations, which a ledger keeps in another form. */
function headOf({ metadata, spec: { range } }: PoolHead): PoolHead {
  const { name, resourceVersion, annotations } = metadata;
  return {
    metadata: {
      name,
      ...defined({ resourceVersion: resourceVersion }),
      ...(annotations && { annotations }),
    },
    spec: { range },
  };
}
