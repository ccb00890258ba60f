// etcd's revisions also grow by what others write outside our keys, of which our watches hear nothing.
// Whoever waits for a watch to reach such a revision would wait for long; so when one stays behind a
// revision that somebody has been told of, a key of no meaning is written, whose revision is later.
// (Newer versions of etcd can be asked for progress, but older ones may answer before they have sent all.)

import type { Clock, Timer } from "../../../base/host/clock.ts";
import { StoreError } from "../errors.ts";
import type { Revision } from "../port.ts";

interface ProgressOptions {
  readonly clock: Clock;
  /** Writes the key. */
  readonly touch: () => Promise<unknown>;
}

/** What a watch tells of itself. */
export interface WatchState {
  revision: Revision;
  /** Whether it waits for etcd, not for its consumer. */
  isWaiting: boolean;
}

/** In which time a change usually has arrived. */
const grace = 25;

export class Progress {
  readonly #options: ProgressOptions;
  readonly #watches = new Set<WatchState>();
  #expected: Revision = 0;
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(options: ProgressOptions) {
    this.#options = options;
  }

  add(watch: WatchState): void {
    this.#watches.add(watch);
  }

  delete(watch: WatchState): void {
    this.#watches.delete(watch);
  }

  /** Somebody has been told of this revision. */
  expect(revision: Revision): void {
    if (revision > this.#expected) this.#expected = revision;
    if (this.#isBehind()) this.#timer ??= this.#schedule();
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  #isBehind(): boolean {
    for (const { revision, isWaiting } of this.#watches) {
      if (isWaiting && revision < this.#expected) return true;
    }
    return false;
  }

  #schedule(): Timer {
    return this.#options.clock.setTimer(grace, () => void this.#help());
  }

  async #help(): Promise<void> {
    try {
      if (this.#isBehind()) await this.#options.touch();
    } catch (error) {
      // Whoever waits will meet the error in a call of its own; here the next time will do.
      if (!(error instanceof StoreError)) throw error;
    }
    this.#timer = this.#isBehind() && !this.#isClosed ? this.#schedule() : undefined;
  }
}
