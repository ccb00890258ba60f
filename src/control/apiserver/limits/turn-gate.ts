// A gate that bounds one turn of the event loop: many small requests that are ready at once would together
// keep the thread as long as one large request. Those beyond the bound go on in later turns, users in turn.
import { TurnQueue } from "../heavy/turn-queue.ts";

/** The time that requests may take in one turn; the last one that begins may take longer. */
const turnMs = 10;
/** The number of waiting requests that go on in one turn: how long each takes is known only afterwards. */
const releasedPerTurn = 4;

export interface TurnGateOptions {
  /** Returns the time in milliseconds. */
  readonly now?: () => number;
  /** Calls back in the next turn. */
  readonly nextTurn?: (act: () => void) => void;
}

export class TurnGate {
  readonly #now: () => number;
  readonly #nextTurn: (act: () => void) => void;
  readonly #waiting = new TurnQueue<() => void>();
  /** The time at which the first request of this turn passed; undefined before. */
  #began: number | undefined;

  constructor({ now = () => performance.now(), nextTurn = setImmediate }: TurnGateOptions = {}) {
    this.#now = now;
    this.#nextTurn = nextTurn;
  }

  /** Resolves when there is time for a request of this user; undefined says that there is time now. */
  pass(user: string): Promise<void> | undefined {
    this.#begin();
    if (this.#waiting.size === 0 && !this.#isOver) return undefined;
    return new Promise((resolve) => this.#waiting.add(user, resolve));
  }

  get #isOver(): boolean {
    return this.#began !== undefined && this.#now() - this.#began > turnMs;
  }

  #begin(): void {
    if (this.#began !== undefined) return;
    this.#began = this.#now();
    this.#nextTurn(() => this.#turn());
  }

  #turn(): void {
    this.#began = undefined;
    if (this.#waiting.size === 0) return;
    this.#begin();
    for (let count = 0; count < releasedPerTurn; count++) this.#waiting.take()?.();
  }
}
