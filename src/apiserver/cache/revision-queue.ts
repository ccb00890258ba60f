// Those who wait for a revision to arrive.
import type { Revision } from "../../store/port.ts";

interface Waiter {
  readonly revision: Revision;
  readonly resolve: () => void;
}

export class RevisionQueue {
  #waiters: Waiter[] = [];

  wait(revision: Revision): Promise<void> {
    return new Promise((resolve) => {
      this.#waiters.push({ revision, resolve });
    });
  }

  release(revision: Revision): void {
    if (this.#waiters.length === 0) return;
    const still: Waiter[] = [];
    for (const waiter of this.#waiters) {
      if (waiter.revision <= revision) waiter.resolve();
      else still.push(waiter);
    }
    this.#waiters = still;
  }
}
