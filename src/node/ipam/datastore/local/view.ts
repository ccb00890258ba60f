import type { SQLInputValue, SQLOutputValue } from "node:sqlite";
import { defined } from "../../../../base/json/defined.ts";
import { Prefix } from "../../../../base/net/prefix.ts";
import type { Taken } from "../../../../base/net/range-set.ts";
import { addressFrom, toHexadecimal } from "../hexadecimal.ts";
import type { Holder, Pool, Reservation, Slice, View } from "../port.ts";
import { guardOf, spacesOf } from "../spaces.ts";
import type { Statements } from "./database.system.ts";
import { Runs } from "./runs.ts";

/** The database as a transaction sees and changes it. */
export class LocalView implements View {
  readonly held: readonly Reservation[];
  readonly #statements: Statements;
  readonly #runs: Runs;

  constructor(statements: Statements, holder: Holder | undefined) {
    this.#statements = statements;
    this.#runs = new Runs(statements);
    this.held = holder === undefined ? [] : this.#heldBy(holder);
  }

  taken(pool: Pool): Taken[] {
    return spacesOf(pool).map((space) => ({ seeker: () => this.#runs.seeker(space) }));
  }

  kept(pool: Pool): Reservation[] {
    return selectReservations(
      this.#statements,
      "WHERE kept_until IS NOT NULL AND (reservation.pool = ? OR guard = ?) ORDER BY kept_until",
      pool.name,
      guardOf(pool)?.name ?? "",
    );
  }

  put(reservation: Reservation): void {
    this.remove(reservation);
    const { pool, address } = reservation;
    this.#statements
      .of("INSERT OR IGNORE INTO pool (name, range, network, node) VALUES (?, ?, ?, ?)")
      .run(pool.name, pool.range.toString(), pool.network, pool.node ?? null);
    if (pool.capacity !== undefined) this.#count(pool.name, pool.capacity);
    this.#statements
      .of("INSERT INTO reservation VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .run(
        pool.name,
        toHexadecimal(address.family, address.value),
        guardOf(pool)?.name ?? null,
        reservation.owner,
        reservation.ifname,
        reservation.containerId,
        reservation.keptUntil ?? null,
        reservation.networkConfiguration ?? null,
        reservation.node ?? null,
        reservation.netns ?? null,
      );
    for (const space of spacesOf(pool)) this.#runs.add(space, address.value);
  }

  remove({ pool, address }: Reservation): void {
    const removed = this.#statements
      .of("DELETE FROM reservation WHERE pool = ? AND address = ? RETURNING guard")
      .get(pool.name, toHexadecimal(address.family, address.value));
    if (removed === undefined) return;
    // The reservation counts as guarded if its pool was when the reservation was made.
    const guarded = removed.guard !== null;
    for (const space of spacesOf({ ...pool, guarded })) this.#runs.remove(space, address.value);
  }

  #count(pool: string, capacity: bigint): void {
    this.#statements
      .of(
        "INSERT INTO capacity VALUES (?1, ?2) ON CONFLICT (pool) DO UPDATE SET addresses = ?2 WHERE addresses <> ?2",
      )
      .run(pool, capacity.toString());
  }

  #heldBy({ ifname, containerId, owner }: Holder): Reservation[] {
    return selectReservations(
      this.#statements,
      `WHERE (container = ? AND ifname = ?) OR (owner = ? AND ifname = ?) ${inOrder}`,
      containerId ?? null,
      ifname,
      owner ?? null,
      ifname,
    );
  }
}

export const inOrder = "ORDER BY reservation.pool, address";

export function selectReservations(
  statements: Statements,
  condition: string,
  ...values: SQLInputValue[]
): Reservation[] {
  const statement = statements.of(`
    SELECT reservation.*, pool.range, pool.network, pool.node AS pool_node, capacity.addresses
    FROM reservation JOIN pool ON pool.name = reservation.pool
    LEFT JOIN capacity ON capacity.pool = reservation.pool ${condition}
  `);
  return statement.all(...values).map(toReservation);
}

function toReservation(row: Record<string, SQLOutputValue>): Reservation {
  const optional = (key: string) => {
    const value = row[key];
    return typeof value === "string" ? value : undefined;
  };
  const text = (key: string) => optional(key) ?? "";
  const capacity = optional("addresses");
  return {
    pool: {
      name: text("pool"),
      range: Prefix.parse(text("range")),
      network: text("network"),
      guarded: row.guard !== null,
      ...defined({ node: optional("pool_node") }),
      ...(capacity === undefined ? {} : { capacity: BigInt(capacity) }),
    },
    address: addressFrom(text("address")),
    owner: text("owner"),
    ifname: text("ifname"),
    containerId: text("container"),
    ...(row.kept_until === null ? {} : { keptUntil: Number(row.kept_until) }),
    ...defined({
      networkConfiguration: optional("configuration"),
      node: optional("node"),
      netns: optional("netns"),
    }),
  };
}

export function selectSlices(statements: Statements, table: string): Slice[] {
  const rows = statements.of("SELECT node, prefix FROM slice WHERE pool = ?").all(table);
  return rows.map(({ node, prefix }) => ({
    node: String(node),
    prefix: Prefix.parse(String(prefix)),
  }));
}
