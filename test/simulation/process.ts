// A process of the simulated cluster: code that runs until it is killed, with a clock of its own.

import type { Clock, Timer } from "../../src/base/host/clock.ts";
import { FakeRandom } from "../../src/base/host/random.fake.ts";
import { quietLog } from "./log.ts";

/** The part of the simulation that a process needs. */
interface Scheduler {
  readonly seed: number;
  readonly now: number;
  readonly timeOfDay: number;
  after(ms: number, act: () => void, process: Process): Timer;
}

export class Process {
  readonly name: string;
  readonly clock: Clock;
  readonly random: FakeRandom;
  /** The milliseconds by which the time of day differs from the world's. */
  skewMs = 0;
  /** Called when the process is killed. */
  onDeath: () => void = () => undefined;
  readonly #simulation: Scheduler;
  #isAlive = true;

  constructor(simulation: Scheduler, name: string) {
    this.#simulation = simulation;
    this.name = name;
    this.random = new FakeRandom(hash(name) ^ simulation.seed);
    this.clock = {
      now: () => simulation.timeOfDay + this.skewMs,
      monotonic: () => simulation.now,
      sleep: (ms, signal) => this.#sleep(ms, signal),
      setTimer: (ms, callback) => this.#timer(ms, callback),
    };
  }

  /** What informers and controllers of the process are made with. */
  get settings() {
    return { clock: this.clock, random: this.random, log: quietLog };
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Kills the process: none of its code runs again, not even to clean up. */
  kill(): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.onDeath();
  }

  #timer(ms: number, callback: () => void): Timer {
    return this.#simulation.after(ms, callback, this);
  }

  #sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = (): void => {
        timer.cancel();
        reject(signal?.reason);
      };
      const timer = this.#timer(ms, () => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      });
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }
}

function hash(text: string): number {
  let value = 7;
  for (const char of text) value = Math.imul(value ^ (char.codePointAt(0) ?? 0), 0x01000193);
  return value;
}
