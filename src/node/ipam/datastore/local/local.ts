import type { DatabaseSync } from "node:sqlite";
import { systemCode } from "../../../../base/program/errors.ts";
import { IpamError, messageOf } from "../../errors.ts";
import type { DatastoreParts } from "../parts.ts";
import type {
  ChooseSlice,
  Datastore,
  Reservation,
  Scope,
  Slice,
  SliceTable,
  View,
} from "../port.ts";
import { openDatabase, Statements } from "./database.system.ts";
import { busyCode, Patience, sqliteCode } from "./patience.ts";
import { inOrder, LocalView, selectReservations, selectSlices } from "./view.ts";

/** Opens the datastore of one machine: an SQLite database that any number of processes share. */
export function openLocal(directory: string, { random }: DatastoreParts): Datastore {
  const patience = new Patience(random);
  const database = attempt(directory, () => openDatabase(directory, { random, patience }));
  return new Local(directory, database, patience);
}

class Local implements Datastore {
  readonly #directory: string;
  readonly #database: DatabaseSync;
  readonly #statements: Statements;
  readonly #patience: Patience;
  #waiting: Decision[] = [];
  #working: Promise<void> | undefined;

  constructor(directory: string, database: DatabaseSync, patience: Patience) {
    this.#directory = directory;
    this.#database = database;
    this.#patience = patience;
    this.#statements = new Statements(database);
  }

  transact<T>(scope: Scope, decide: (view: View) => T): Promise<T> {
    return this.#transact(() => decide(new LocalView(this.#statements, scope.holder)));
  }

  #transact<T>(decide: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const make = () => {
        const decision = decide();
        return () => resolve(decision);
      };
      this.#waiting.push({ make, reject: (error) => reject(explain(this.#directory, error)) });
      this.#working ??= this.#work();
    });
  }

  /**
   * Stores decisions that come in the same turn, or while another process holds the lock, in one
   * transaction.
   */
  async #work(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      try {
        await this.#patience.runAsync(() => this.#database.exec("BEGIN IMMEDIATE"));
      } catch (error) {
        for (const { reject } of this.#waiting.splice(0)) reject(error);
        continue;
      }
      const batch = this.#waiting.splice(0);
      try {
        for (const tell of this.#store(batch)) tell();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#working = undefined;
  }

  #store(batch: readonly Decision[]): (() => void)[] {
    try {
      const made = batch.map((decision) => this.#make(decision));
      this.#patience.run(() => this.#database.exec("COMMIT"));
      return made;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  /** Makes one decision; one that fails leaves nothing behind, and the others as they are. */
  #make({ make, reject }: Decision): () => void {
    this.#database.exec("SAVEPOINT decision");
    try {
      return make();
    } catch (error) {
      // SQLite itself ends the transaction when the disk fails.
      if (!this.#database.isTransaction) throw error;
      this.#database.exec("ROLLBACK TO decision");
      return () => reject(error);
    } finally {
      if (this.#database.isTransaction) this.#database.exec("RELEASE decision");
    }
  }

  reservations(): Promise<Reservation[]> {
    return this.#attempt(() =>
      this.#patience.run(() => selectReservations(this.#statements, inOrder)),
    );
  }

  async livingOwners(): Promise<undefined> {
    return undefined;
  }

  slices({ name }: SliceTable): Promise<Slice[]> {
    return this.#attempt(() => this.#patience.run(() => selectSlices(this.#statements, name)));
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

  /** No slices are released, since a local datastore has no other node. */
  async releaseSlices(): Promise<Slice[]> {
    return [];
  }

  async close(): Promise<void> {
    await this.#working;
    await this.#attempt(() => this.#database.close());
  }

  /** Wraps SQLite, which answers at once or blocks, in the promise that the port asks for. */
  async #attempt<T>(work: () => T): Promise<T> {
    return attempt(this.#directory, work);
  }
}

interface Decision {
  /** Makes the decision; returns the function that tells the caller. */
  readonly make: () => () => void;
  readonly reject: (error: unknown) => void;
}

function attempt<T>(directory: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw explain(directory, error);
  }
}

function explain(directory: string, error: unknown): unknown {
  const code = sqliteCode(error);
  if (code === undefined && systemCode(error) === undefined) return error;
  return new IpamError(
    code === busyCode ? "tryAgainLater" : "inputOutput",
    `Cannot use the reservations in ${directory}: ${messageOf(error)}`,
    error,
  );
}
