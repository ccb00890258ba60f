// Slices of long work, between which other requests are served.
import { setImmediate as nextTurn } from "node:timers/promises";

const sliceMs = 5;

export class TimeSlice {
  #started = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#started > sliceMs;
  }

  /** Lets other work run, when the slice is over. */
  async yield(): Promise<void> {
    if (!this.isOver) return;
    await nextTurn();
    this.restart();
  }

  restart(): void {
    this.#started = performance.now();
  }
}
