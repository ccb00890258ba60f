// The deterministic scheduler: one queue of everything that happens, in virtual time. Nothing else may wake the
// code under test, so a run is a function of its seed.

import type { Timer } from "../../src/base/host/clock.ts";
import { FakeRandom } from "../../src/base/host/random.fake.ts";
import { Process } from "./process.ts";
import { nextTurn } from "./turn.ts";

/** Something that happens at a moment; of several at the same moment a drawn number decides. */
interface Happening {
  readonly at: number;
  readonly draw: number;
  readonly process: Process;
  readonly act: () => void;
  isCancelled: boolean;
}

/** The time of day at which every simulation begins. */
const epoch = Date.parse("2026-01-01T00:00:00Z");

export class Violation extends Error {
  override readonly name = "Violation";
}

export class Simulation {
  readonly seed: number;
  readonly random: FakeRandom;
  /** The process of the world itself: faults and observers, which never die. */
  readonly world: Process;
  /** The process whose code runs at present; what it starts belongs to it. */
  current: Process;
  /** Called after every step; throws a Violation when an invariant does not hold. */
  check: () => void = () => undefined;
  /** Answers what code under test fetches. */
  fetch: (url: string) => Promise<Response> = () => Promise.reject(new Error("no network"));
  steps = 0;
  #now = 0;
  #failure: Error | undefined;
  readonly #queue: Happening[] = [];

  constructor(seed: number) {
    this.seed = seed;
    this.random = new FakeRandom(Math.imul(seed, 0x9e3779b1) ^ 0x5bf03635);
    this.world = new Process(this, "world");
    this.current = this.world;
  }

  /** The milliseconds since the start. */
  get now(): number {
    return this.#now;
  }

  get timeOfDay(): number {
    return epoch + this.#now;
  }

  /** Draws a whole number of at least `low` and less than `high`. */
  draw(low: number, high: number): number {
    return low + Math.floor(this.random.fraction() * (high - low));
  }

  chance(probability: number): boolean {
    return this.random.fraction() < probability;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.draw(0, choices.length)] as T;
  }

  /** Lets something happen in a process after a while, unless the process is dead by then. */
  after(ms: number, act: () => void, process: Process = this.current): Timer {
    const at = this.#now + Math.max(0, Math.min(ms, 1e12));
    const happening = { at, draw: this.random.fraction(), process, act, isCancelled: false };
    push(this.#queue, happening);
    return {
      cancel: () => {
        happening.isCancelled = true;
      },
    };
  }

  /** Starts work in a process; a failure of work of the world is a failure of the run. */
  start(process: Process, work: () => Promise<unknown>): void {
    this.after(
      0,
      () => {
        work().catch((error: unknown) => {
          if (process.isAlive) this.fail(error);
        });
      },
      process,
    );
  }

  fail(error: unknown): void {
    this.#failure ??= error as Error;
  }

  /** Runs until the moment has come, or a check fails. */
  async run(until: number): Promise<void> {
    for (let next = this.#next(until); next !== undefined; next = this.#next(until)) {
      this.#now = next.at;
      this.current = next.process;
      this.steps += 1;
      next.act();
      await settled();
      this.current = this.world;
      if (this.#failure !== undefined) throw this.#failure;
      this.check();
    }
    this.#now = until;
  }

  #next(until: number): Happening | undefined {
    for (let first = this.#queue[0]; first !== undefined; first = this.#queue[0]) {
      if (!first.isCancelled && first.process.isAlive && first.at > until) return undefined;
      pop(this.#queue);
      if (!first.isCancelled && first.process.isAlive) return first;
    }
    return undefined;
  }
}

/** Waits until promises that follow from each other have settled: none of them waits for real events. */
function settled(): Promise<void> {
  return new Promise((resolve) => nextTurn(resolve));
}

function isBefore(a: Happening, b: Happening): boolean {
  return a.at === b.at ? a.draw < b.draw : a.at < b.at;
}

/** Adds to a binary heap. */
function push(heap: Happening[], added: Happening): void {
  let index = heap.push(added) - 1;
  while (index > 0) {
    const above = (index - 1) >> 1;
    const parent = heap[above] as Happening;
    if (!isBefore(added, parent)) break;
    heap[index] = parent;
    index = above;
  }
  heap[index] = added;
}

/** Takes the first of a binary heap. */
function pop(heap: Happening[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let index = 0;
  for (;;) {
    const left = 2 * index + 1;
    if (left >= heap.length) break;
    const right = left + 1;
    const isRight =
      right < heap.length && isBefore(heap[right] as Happening, heap[left] as Happening);
    const below = isRight ? right : left;
    if (!isBefore(heap[below] as Happening, last)) break;
    heap[index] = heap[below] as Happening;
    index = below;
  }
  heap[index] = last;
}
