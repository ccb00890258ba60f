// The reservations of IPAM, seen from outside: no address twice, and one of each family for each interface.

import type { Event } from "../../src/base/etcd/messages.ts";
import { ownersPrefix } from "../../src/node/ipam/datastore/etcd/keys.ts";
import { decodeReservation } from "../../src/node/ipam/datastore/etcd/values.ts";
import { Violation } from "./simulation.ts";

export class Reservations {
  /** What is reserved, by the key of its reservation: an address, and an interface's place for one. */
  readonly #reserved = new Map<string, readonly string[]>();

  change(events: readonly Event[]): void {
    const own = events.filter(({ kv }) => kv?.key.startsWith(ownersPrefix) === true);
    if (own.length === 0) return;
    for (const { type, kv } of own) {
      const key = kv?.key ?? "";
      if (type === 1 || kv === undefined) this.#reserved.delete(key);
      else this.#reserved.set(key, claimsOf(Buffer.from(kv.value).toString()));
    }
    const seen = new Map<string, string>();
    for (const [key, claims] of this.#reserved) {
      for (const claim of claims) {
        const other = seen.get(claim);
        if (other !== undefined) throw new Violation(`${claim} is reserved by ${other} and ${key}`);
        seen.set(claim, key);
      }
    }
  }
}

function claimsOf(text: string): readonly string[] {
  const { pool, address, owner, ifname } = decodeReservation(text);
  return [`${pool.name} ${address}`, `the ${address.family} address of ${owner} ${ifname}`];
}
