import { IpamError } from "../../errors.ts";
import type { Datastore, Reservation, Scope, View } from "../port.ts";
import type { Ledger } from "./ledger.ts";

/** A store that many machines share, and that tells when another one was faster. */
export interface Backend<Read extends Ledger = Ledger> {
  /** How many decisions one commit may carry. */
  readonly batchLimit: number;
  /** What the scopes are about, as it is now. */
  read(scopes: readonly Scope[]): Promise<Read>;
  /** Stores the changes; false when they rest on what is no longer so. */
  commit(read: Read): Promise<boolean>;
  reservations(): Promise<Reservation[]>;
  livingOwners(): Promise<ReadonlySet<string> | undefined>;
  close(): Promise<void>;
}

export interface Chance {
  /** Between 0 and 1. */
  readonly random: () => number;
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** How long one decision is tried for before its caller is asked to try again later. */
const patienceMilliseconds = 60_000;
const firstPause = 4;
const longestPause = 500;

/**
 * Decides on what was read and commits if nothing has changed in between. Decisions that arrive
 * while a commit is under way wait for it and are committed together by the next.
 */
export class Optimistic<Read extends Ledger> implements Datastore {
  readonly #backend: Backend<Read>;
  readonly #chance: Chance;
  #waiting: Decision[] = [];
  #working: Promise<void> | undefined;

  constructor(backend: Backend<Read>, chance: Chance = system) {
    this.#backend = backend;
    this.#chance = chance;
  }

  transact<T>(scope: Scope, decide: (view: View) => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const settle = (ledger: Ledger): (() => void) => {
        try {
          const decision = ledger.decide(scope, decide);
          return () => resolve(decision);
        } catch (error) {
          return () => reject(error);
        }
      };
      this.#waiting.push({ scope, settle, reject });
      this.#working ??= this.#work();
    });
  }

  reservations(): Promise<Reservation[]> {
    return this.#backend.reservations();
  }

  livingOwners(): Promise<ReadonlySet<string> | undefined> {
    return this.#backend.livingOwners();
  }

  async close(): Promise<void> {
    await this.#working;
    await this.#backend.close();
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#backend.batchLimit);
      try {
        for (const settled of await this.#settle(batch)) settled();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#working = undefined;
  }

  /** Returns what tells the callers, once everything they decided is stored. */
  async #settle(batch: readonly Decision[]): Promise<(() => void)[]> {
    const { now, random, sleep } = this.#chance;
    const deadline = now() + patienceMilliseconds;
    for (let pause = firstPause; ; pause = Math.min(2 * pause, longestPause)) {
      const ledger = await this.#backend.read(batch.map(({ scope }) => scope));
      const settled = batch.map(({ settle }) => settle(ledger));
      if (ledger.changes().length === 0 || (await this.#backend.commit(ledger))) return settled;
      if (now() > deadline) {
        throw new IpamError(
          "tryAgainLater",
          `Cannot store reservations: others were faster for ${patienceMilliseconds / 1000} s`,
        );
      }
      await sleep(random() * pause);
    }
  }
}

interface Decision {
  readonly scope: Scope;
  readonly settle: (ledger: Ledger) => () => void;
  readonly reject: (error: unknown) => void;
}

const system: Chance = {
  random: () => Math.random(),
  now: () => performance.now(),
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
};
