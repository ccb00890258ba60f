import type { EtcdClient } from "../../../../base/etcd/client.ts";
import { Ledger } from "../optimistic/ledger.ts";
import { type Space, spacesOf } from "../spaces.ts";
import { reservationKeys, spaceKey, spaceName } from "./keys.ts";
import { decodeReservation, decodeSpace, encodeReservation, encodeSpace } from "./values.ts";

type Transaction = Parameters<EtcdClient["txn"]>[0];

/** The state read from etcd, with its revisions, and the transaction that stores its changes. */
export class EtcdLedger extends Ledger {
  readonly #revisions = new Map<string, number>();

  knows(key: string): boolean {
    return this.#revisions.has(key);
  }

  /** Records that a key does not exist, which etcd calls revision 0. */
  loadAbsent(key: string): void {
    this.#revisions.set(key, 0);
  }

  loadEntry(key: string, { text, revision }: { text: string; revision: number }): void {
    const known = this.#revisions.get(key);
    this.#revisions.set(key, revision);
    if (known === undefined) {
      this.load(decodeReservation(text));
    } else {
      const { taken, kept } = decodeSpace(text);
      for (const range of taken)
        this.taken({ name: spaceName(key), family: range.family }).add(range);
      for (const reservation of kept) this.load(reservation);
    }
  }

  transaction(): Transaction {
    const changes = this.changes();
    const removed = changes.flatMap(({ before }) => (before ? reservationKeys(before) : []));
    const written = changes.flatMap(({ after }) => after ?? []);
    const spaces = new Map(
      changes
        .flatMap(({ before, after }) => [before, after])
        .flatMap((one) => (one ? spacesOf(one.pool) : []))
        .map((space) => [space.name, space]),
    );
    const puts = new Map([
      ...written.flatMap((one) =>
        reservationKeys(one).map((key) => [key, encodeReservation(one)] as const),
      ),
      ...spaces.values().map((space) => [spaceKey(space), this.#encode(space)] as const),
    ]);
    const deletes = removed.filter((key) => !puts.has(key));
    const read = [...deletes, ...puts.keys()].filter((key) => this.knows(key));
    return {
      compare: read.map((key) => ({
        key,
        target: 2,
        result: 0,
        modRevision: this.#revisions.get(key) ?? 0,
      })),
      success: [
        ...deletes.map((key) => ({ deleteRange: { key } })),
        ...puts.entries().map(([key, text]) => ({ put: { key, value: Buffer.from(text) } })),
      ],
    };
  }

  #encode(space: Space): string {
    const kept = [...this.reservations].filter(
      (one) => one.keptUntil !== undefined && spacesOf(one.pool)[0]?.name === space.name,
    );
    return encodeSpace(space.family, this.taken(space).snapshot(), kept);
  }
}
