import type { Interval, Seeker } from "../../../../base/net/intervals.ts";
import { fromHexadecimal, toHexadecimal } from "../hexadecimal.ts";
import type { Space } from "../spaces.ts";
import type { Statements } from "./database.system.ts";

/** The taken addresses of a space, as maximal runs. */
export class Runs {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  seeker(space: Space): Seeker {
    const next = this.#statements.of(
      "SELECT first, last FROM run WHERE space = ? AND last >= ? ORDER BY last LIMIT 1",
    );
    return (value) => {
      const row = next.get(space.name, toHexadecimal(space.family, value));
      return (
        row && {
          first: fromHexadecimal(String(row.first)),
          last: fromHexadecimal(String(row.last)),
        }
      );
    };
  }

  add(space: Space, value: bigint): void {
    const seek = this.seeker(space);
    const low = value > 0n ? value - 1n : 0n;
    const near = seek(low);
    const after = near !== undefined && near.last < value ? seek(value) : near;
    if (after !== undefined && after.first <= value) return;
    const joined = { first: value, last: value };
    if (near !== undefined && near !== after) {
      this.#delete(space, near);
      joined.first = near.first;
    }
    if (after !== undefined && after.first === value + 1n) {
      this.#delete(space, after);
      joined.last = after.last;
    }
    this.#insert(space, joined);
  }

  remove(space: Space, value: bigint): void {
    const run = this.seeker(space)(value);
    if (run === undefined || run.first > value) return;
    this.#delete(space, run);
    this.#insert(space, { first: run.first, last: value - 1n });
    this.#insert(space, { first: value + 1n, last: run.last });
  }

  #insert(space: Space, run: Interval): void {
    if (run.first > run.last) return;
    this.#statements
      .of("INSERT INTO run (space, first, last) VALUES (?, ?, ?)")
      .run(
        space.name,
        toHexadecimal(space.family, run.first),
        toHexadecimal(space.family, run.last),
      );
  }

  #delete(space: Space, run: Interval): void {
    this.#statements
      .of("DELETE FROM run WHERE space = ? AND last = ?")
      .run(space.name, toHexadecimal(space.family, run.last));
  }
}
