import type { Random } from "./random.ts";

/** A generator of the same numbers in every run. */
export class FakeRandom implements Random {
  #state: number;

  constructor(seed = 1) {
    this.#state = seed;
  }

  /** A Weyl sequence, mixed: every step visits another of the 2^32 states. */
  fraction(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  }

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => Math.floor(this.fraction() * 256));
  }
}
