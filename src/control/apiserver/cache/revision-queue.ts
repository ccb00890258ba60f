// A queue of callers that wait for a revision to arrive.
import type { Revision } from "../../store/store.ts";

interface Waiter {
  readonly revision: Revision;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export class RevisionQueue {
  #waiters: Waiter[] = [];
  #closed: Error | undefined;

  wait(revision: Revision): Promise<void> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    return new Promise((resolve, reject) => {
      this.#waiters.push({ revision, resolve, reject });
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

  /** Rejects all callers, since no further revision will come. */
  close(error: Error): void {
    this.#closed = error;
    for (const { reject } of this.#waiters) reject(error);
    this.#waiters = [];
  }
}
