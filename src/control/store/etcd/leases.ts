// Time to live: entries that are to live equally long, and were written at about the same time, share a
// lease, since leases are not cheap for etcd.

import type { EtcdClient } from "../../../base/etcd/client.ts";
import type { Clock } from "../../../base/host/clock.ts";
import { StoreError } from "../errors.ts";

interface Shared {
  readonly id: Promise<number>;
  /** On the monotonic clock: from here on the entry would be deleted too early. */
  readonly usableUntil: number;
  uses: number;
}

/** How much later than asked for an entry may go: a twentieth, within these bounds. */
const shortestDelay = 1;
const longestDelay = 60;
/** When a lease ends, all that hangs on it is deleted in one go. */
const mostUses = 1000;

export class Leases {
  readonly #client: EtcdClient;
  readonly #clock: Clock;
  readonly #byTtl = new Map<number, Shared>();

  constructor(client: EtcdClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** The id of a lease that lasts at least so long, and little longer. */
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
      // A lease that was granted without our knowing ends by itself; no entry was written.
      const message = `Cannot get a lease of ${ttlSeconds} s from etcd`;
      throw new StoreError(message, { reason: "unavailable", cause: error });
    }
  }

  /** Uses none of them any more. */
  clear(): void {
    this.#byTtl.clear();
  }

  #grant(ttlSeconds: number, now: number): Shared {
    const delay = Math.min(Math.max(ttlSeconds / 20, shortestDelay), longestDelay);
    const lease = this.#client.grantLease(ttlSeconds + delay);
    return { id: lease.then(({ id }) => id), usableUntil: now + delay * 1000, uses: 0 };
  }
}
