// A gate that bounds one turn of the event loop: many small requests that are ready at once would together
// keep the thread as long as one large request. Those beyond the bound go on in later turns, users in turn.
import { TurnQueue } from "../heavy/turn-queue.ts";

/** The time that all who pass may take in one turn; the last one that begins may take longer. */
const turnMs = 10;
/** The number of those that have waited and go on in one turn: how long each takes is known only afterwards. */
const usualRelease = 2;

export interface TurnGateOptions {
  /** The most that pass in one turn; without it, only their time is bounded. */
  readonly mostPerTurn?: number;
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
  #passed = 0;
  readonly #most: number;
  readonly #released: number;

  constructor(options: TurnGateOptions = {}) {
    const { now = () => performance.now(), nextTurn = setImmediate, mostPerTurn } = options;
    this.#now = now;
    this.#nextTurn = nextTurn;
    this.#most = mostPerTurn ?? Number.POSITIVE_INFINITY;
    this.#released = mostPerTurn ?? usualRelease;
  }

  /** Resolves when there is time for a request of this user; undefined says that there is time now. */
  pass(user: string): Promise<void> | undefined {
    this.#begin();
    if (this.#waiting.size === 0 && !this.#isOver) {
      this.#passed++;
      return undefined;
    }
    return new Promise((resolve) => this.#waiting.add(user, resolve));
  }

  get #isOver(): boolean {
    const isLate = this.#began !== undefined && this.#now() - this.#began > turnMs;
    return isLate || this.#passed >= this.#most;
  }

  #begin(): void {
    if (this.#began !== undefined) return;
    this.#began = this.#now();
    this.#nextTurn(() => this.#turn());
  }

  #turn(): void {
    this.#began = undefined;
    this.#passed = 0;
    if (this.#waiting.size === 0) return;
    this.#begin();
    for (let count = 0; count < this.#released; count++) this.#release();
  }

  #release(): void {
    const next = this.#waiting.take();
    if (next === undefined) return;
    this.#passed++;
    next();
  }
}
