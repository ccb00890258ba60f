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

/** A store that many machines share, and that tells when another one was faster. */
export interface Backend<Read extends Ledger = Ledger> {
  /** How many decisions one commit may carry. */
  readonly batchLimit: number;
  /** What the scopes are about, as it is now. */
  read(scopes: readonly Scope[]): Promise<Read>;
  /** What was committed last, if the scopes are about that; others may have changed it since. */
  recall?(scopes: readonly Scope[]): Read | undefined;
  /** Stores the changes; false when they rest on what is no longer so. */
  commit(read: Read): Promise<boolean>;
  /** Completes what one decision has changed; false when it has to be made anew. */
  finish(changes: readonly Change[]): Promise<boolean>;
  reservations(): Promise<Reservation[]>;
  livingOwners(): Promise<LivingOwners | undefined>;
  readSlices(table: SliceTable): Promise<SlicesRead>;
  releaseSlices(): Promise<readonly Slice[]>;
  close(): Promise<void>;
}

export interface SlicesRead {
  readonly slices: readonly Slice[];
  /** Adds one to what was read; false when that is no longer so. */
  add(slice: Slice): Promise<boolean>;
}

/**
 * Decides on what was read and commits if nothing has changed in between. Decisions that arrive
 * while a commit is under way wait for it and are committed together by the next.
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

  /** Those that come after need not wait for this. */
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
  /** Makes it on a ledger; returns what tells the caller. */
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
 * Whether a commit that succeeds shows that what the decision rests on was not out of date: it adds to
 * every pool it is about. Who finds nothing to do, or gives something up, has to look first.
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
