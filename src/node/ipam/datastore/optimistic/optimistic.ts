import type {
  ChooseSlice,
  Datastore,
  LivingOwners,
  Reservation,
  Scope,
  Slice,
  SliceTable,
  View,
} from "../port.ts";
import type { Change, Ledger } from "./ledger.ts";
import { type Chance, persist } from "./persist.ts";

/** A store that many machines share, and that reports when another writer was faster. */
export interface Backend<Read extends Ledger = Ledger> {
  /** The number of decisions that one commit may carry. */
  readonly batchLimit: number;
  /** Reads the current state that the scopes are about. */
  read(scopes: readonly Scope[]): Promise<Read>;
  /**
   * Returns the state of the last commit, if it covers the scopes; other writers may have changed it
   * since.
   */
  recall?(scopes: readonly Scope[]): Read | undefined;
  /** Stores the changes; false when the state they are based on has changed. */
  commit(read: Read): Promise<boolean>;
  /** Completes the changes of one committed decision; false when it has to be made again. */
  finish(changes: readonly Change[]): Promise<boolean>;
  reservations(): Promise<Reservation[]>;
  livingOwners(): Promise<LivingOwners | undefined>;
  readSlices(table: SliceTable): Promise<SlicesRead>;
  releaseSlices(): Promise<readonly Slice[]>;
  close(): Promise<void>;
}

export interface SlicesRead {
  readonly slices: readonly Slice[];
  /** Adds a slice to those that were read; false when they have changed since. */
  add(slice: Slice): Promise<boolean>;
}

/**
 * Makes decisions on the state that was read, and commits them if nothing has changed in between.
 * Decisions that arrive during a commit wait for it, and are committed together by the next.
 */
export class Optimistic<Read extends Ledger> implements Datastore {
  readonly #backend: Backend<Read>;
  readonly #chance: Chance;
  #waiting: Decision[] = [];
  #working: Promise<void> | undefined;
  readonly #finishing = new Set<Promise<void>>();

  constructor(backend: Backend<Read>, chance: Chance) {
    this.#backend = backend;
    this.#chance = chance;
  }

  transact<T>(scope: Scope, decide: (view: View) => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const make = (ledger: Ledger): (() => void) => {
        try {
          const decision = ledger.decide(scope, decide);
          return () => resolve(decision);
        } catch (error) {
          return () => reject(error);
        }
      };
      this.#enqueue({ scope, make, reject });
    });
  }

  #enqueue(decision: Decision): void {
    this.#waiting.push(decision);
    this.#working ??= this.#work();
  }

  reservations(): Promise<Reservation[]> {
    return this.#backend.reservations();
  }

  livingOwners(): Promise<LivingOwners | undefined> {
    return this.#backend.livingOwners();
  }

  async slices(table: SliceTable): Promise<readonly Slice[]> {
    return (await this.#backend.readSlices(table)).slices;
  }

  claimSlice(table: SliceTable, choose: ChooseSlice): Promise<Slice | undefined> {
    return persist(this.#chance, async () => {
      const read = await this.#backend.readSlices(table);
      const value = choose(read.slices);
      const isStored =
        value === undefined || read.slices.includes(value) || (await read.add(value));
      return isStored ? { value } : undefined;
    });
  }

  releaseSlices(): Promise<readonly Slice[]> {
    return this.#backend.releaseSlices();
  }

  async close(): Promise<void> {
    while (this.#working !== undefined || this.#finishing.size > 0) {
      await this.#working;
      await Promise.all(this.#finishing);
    }
    await this.#backend.close();
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#backend.batchLimit);
      try {
        for (const made of await this.#store(batch)) this.#finish(made);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#working = undefined;
  }

  #store(batch: readonly Decision[]): Promise<Made[]> {
    const scopes = batch.map(({ scope }) => scope);
    let recalled = this.#backend.recall?.(scopes);
    return persist(this.#chance, async () => {
      let ledger = recalled;
      recalled = undefined;
      let made = ledger && decideAll(batch, ledger);
      if (ledger === undefined || made?.every(isProvenByCommit) !== true) {
        ledger = await this.#backend.read(scopes);
        made = decideAll(batch, ledger);
      }
      const isStored = ledger.changes().length === 0 || (await this.#backend.commit(ledger));
      return isStored ? { value: made } : undefined;
    });
  }

  /** Completes a committed decision in the background, so that later decisions need not wait for it. */
  #finish({ decision, tell, changes }: Made): void {
    if (changes.length === 0) return tell();
    const finishing = this.#backend
      .finish(changes)
      .then((isFinal) => (isFinal ? tell() : this.#enqueue(decision)))
      .catch(decision.reject)
      .finally(() => this.#finishing.delete(finishing));
    this.#finishing.add(finishing);
  }
}

interface Decision {
  readonly scope: Scope;
  /** Makes the decision on a ledger; returns the function that tells the caller. */
  readonly make: (ledger: Ledger) => () => void;
  readonly reject: (error: unknown) => void;
}

function decideAll(batch: readonly Decision[], ledger: Ledger): Made[] {
  return batch.map((decision) => {
    const mark = ledger.mark();
    const tell = decision.make(ledger);
    return { decision, tell, changes: ledger.changes(mark) };
  });
}

/**
 * Whether a successful commit proves that the decision was based on current state: it adds to every pool
 * of its scope. A decision that changes nothing, or gives something up, must read the state first.
 */
function isProvenByCommit({ decision, changes }: Made): boolean {
  const added = new Set(changes.map(({ after }) => after?.pool.name));
  return (
    changes.every(({ before }) => before === undefined) &&
    decision.scope.pools.every(({ name }) => added.has(name))
  );
}

interface Made {
  readonly decision: Decision;
  readonly tell: () => void;
  readonly changes: readonly Change[];
}
