import type { DatabaseSync } from "node:sqlite";
import { IpamError, messageOf, systemCode } from "../../errors.ts";
import type {
  ChooseSlice,
  Datastore,
  Reservation,
  Scope,
  Slice,
  SliceTable,
  View,
} from "../port.ts";
import { openDatabase, Statements } from "./database.ts";
import { busyCode, patiently, sqliteCode } from "./patience.ts";
import { inOrder, LocalView, selectReservations, selectSlices } from "./view.ts";

/** Reservations of one machine, in an SQLite database that any number of processes share. */
export function openLocal(directory: string): Datastore {
  return new Local(
    directory,
    attempt(directory, () => openDatabase(directory)),
  );
}

class Local implements Datastore {
  readonly #directory: string;
  readonly #database: DatabaseSync;
  readonly #statements: Statements;

  constructor(directory: string, database: DatabaseSync) {
    this.#directory = directory;
    this.#database = database;
    this.#statements = new Statements(database);
  }

  transact<T>(scope: Scope, decide: (view: View) => T): Promise<T> {
    return this.#transact(() => decide(new LocalView(this.#statements, scope.holder)));
  }

  #transact<T>(decide: () => T): Promise<T> {
    return this.#attempt(() => {
      patiently(() => this.#database.exec("BEGIN IMMEDIATE"));
      try {
        const decision = decide();
        patiently(() => this.#database.exec("COMMIT"));
        return decision;
      } catch (error) {
        if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
        throw error;
      }
    });
  }

  reservations(): Promise<Reservation[]> {
    return this.#attempt(() => patiently(() => selectReservations(this.#statements, inOrder)));
  }

  async livingOwners(): Promise<undefined> {
    return undefined;
  }

  slices({ name }: SliceTable): Promise<Slice[]> {
    return this.#attempt(() => patiently(() => selectSlices(this.#statements, name)));
  }

  claimSlice({ name }: SliceTable, choose: ChooseSlice): Promise<Slice | undefined> {
    return this.#transact(() => {
      const chosen = choose(selectSlices(this.#statements, name));
      if (chosen !== undefined) {
        this.#statements
          .of("INSERT OR IGNORE INTO slice (pool, prefix, node) VALUES (?, ?, ?)")
          .run(name, chosen.prefix.toString(), chosen.node);
      }
      return chosen;
    });
  }

  /** There is no other node. */
  async releaseSlices(): Promise<Slice[]> {
    return [];
  }

  close(): Promise<void> {
    return this.#attempt(() => this.#database.close());
  }

  /** SQLite answers at once or blocks; the port promises a promise either way. */
  async #attempt<T>(work: () => T): Promise<T> {
    return attempt(this.#directory, work);
  }
}

function attempt<T>(directory: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const code = sqliteCode(error);
    if (code === undefined && systemCode(error) === undefined) throw error;
    throw new IpamError(
      code === busyCode ? "tryAgainLater" : "inputOutput",
      `Cannot use the reservations in ${directory}: ${messageOf(error)}`,
      error,
    );
  }
}
