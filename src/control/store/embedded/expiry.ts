// Expiry: entries with a time to live are deleted by ordinary transactions, a second at a time.

import type { Clock, Timer } from "../../../base/host/clock.ts";
import { StoreError } from "../errors.ts";
import type { Committed, Transaction } from "../port.ts";
import type { Version } from "./versions.ts";

interface ExpiryOptions {
  readonly clock: Clock;
  readonly commit: (transaction: Transaction) => Promise<Committed>;
}

/** An entry to be deleted, unless it is written again. */
type Expiring = Pick<Version, "key" | "modified">;

export class Expiry {
  readonly #options: ExpiryOptions;
  /** The entries by the second in which they are due. */
  readonly #due = new Map<number, Expiring[]>();
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(options: ExpiryOptions) {
    this.#options = options;
  }

  /** Adds an entry; `expires` is in milliseconds since 1970. */
  add(version: Expiring, expires: number): void {
    const second = Math.ceil(expires / 1000);
    const others = this.#due.get(second);
    if (others === undefined) this.#due.set(second, [version]);
    else others.push(version);
    this.#timer ??= this.#options.clock.setTimer(1000, () => void this.#tick());
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  async #tick(): Promise<void> {
    try {
      await this.#deleteDue();
    } catch (error) {
      // A writer meets the same error and reports it; expiry tries again in the next second.
      if (!(error instanceof StoreError)) throw error;
    }
    const again = this.#due.size > 0 && !this.#isClosed;
    this.#timer = again ? this.#options.clock.setTimer(1000, () => void this.#tick()) : undefined;
  }

  async #deleteDue(): Promise<void> {
    const now = Math.floor(this.#options.clock.now() / 1000);
    for (const [second, versions] of this.#due) {
      if (second > now) continue;
      // A copy, since a write that took longer than its time to live adds to a second that is past.
      const due = [...versions];
      await Promise.all(due.map((version) => this.#delete(version)));
      versions.splice(0, due.length);
      if (versions.length === 0) this.#due.delete(second);
    }
  }

  /** Deletes an entry, unless it has been written again since. */
  #delete({ key, modified }: Expiring): Promise<Committed> {
    const operations = [{ type: "delete", key }] as const;
    return this.#options.commit({ compare: [{ key, modified }], operations });
  }
}
