// Progress of watches in etcd. Its revisions also grow by writes of others outside of our keys, which our
// watches do not see: waiting for a watch to reach such a revision could take for ever. So when a watch stays
// behind a revision that a caller was told of, a key of no meaning is written, whose revision is later.
// (Newer versions of etcd can be asked for progress, but older ones may answer before they have sent all.)

import type { Clock, Timer } from "../../../base/host/clock.ts";
import { StoreError } from "../errors.ts";
import type { Revision } from "../port.ts";

interface ProgressOptions {
  readonly clock: Clock;
  /** Writes the key of no meaning. */
  readonly touch: () => Promise<unknown>;
}

/** The state of one watch. */
export interface WatchState {
  revision: Revision;
  /** Whether the watch waits for etcd, not for its consumer. */
  isWaiting: boolean;
}

/** The milliseconds in which a change has usually arrived. */
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

  /** Notes that a caller has been told of this revision. */
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
      // A caller that waits meets the error in a call of its own; progress tries again the next time.
      if (!(error instanceof StoreError)) throw error;
    }
    this.#timer = this.#isBehind() && !this.#isClosed ? this.#schedule() : undefined;
  }
}
