// Leases for times to live: entries with the same time to live that are written at about the same time share
// a lease, since leases are expensive for etcd.

import type { EtcdClient } from "../../../base/etcd/client.ts";
import type { Clock } from "../../../base/host/clock.ts";
import { StoreError } from "../errors.ts";

interface Shared {
  readonly id: Promise<number>;
  /** The end of use on the monotonic clock: an entry written later would be deleted too early. */
  readonly usableUntil: number;
  uses: number;
}

/** The bounds of the delay by which an entry may outlive its time to live; within them it is a twentieth. */
const shortestDelay = 1;
const longestDelay = 60;
/** The most entries per lease, since all of them are deleted at once when it ends. */
const mostUses = 1000;

export class Leases {
  readonly #client: Pick<EtcdClient, "grantLease">;
  readonly #clock: Clock;
  readonly #byTtl = new Map<number, Shared>();

  constructor(client: Pick<EtcdClient, "grantLease">, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Returns the id of a lease that lasts at least so long, and little longer. */
  async lease(ttlSeconds: number): Promise<number> {
    let shared = this.#byTtl.get(ttlSeconds);
    const now = this.#clock.monotonic();
    if (shared === undefined || now > shared.usableUntil || shared.uses >= mostUses) {
      shared = this.#grant(ttlSeconds, now);
      this.#byTtl.set(ttlSeconds, shared);
    }
    shared.uses += 1;
    try {
      return await shared.id;
    } catch (error) {
      if (this.#byTtl.get(ttlSeconds) === shared) this.#byTtl.delete(ttlSeconds);
      // A lease granted without an answer to us ends by itself; no entry was written.
      const message = `Cannot get a lease of ${ttlSeconds} s from etcd`;
      throw new StoreError(message, { reason: "unavailable", cause: error });
    }
  }

  /** Forgets all leases, so that none is used any more. */
  clear(): void {
    this.#byTtl.clear();
  }

  #grant(ttlSeconds: number, now: number): Shared {
    const delay = Math.min(Math.max(ttlSeconds / 20, shortestDelay), longestDelay);
    const lease = this.#client.grantLease(ttlSeconds + delay);
    return { id: lease.then(({ id }) => id), usableUntil: now + delay * 1000, uses: 0 };
  }
}
