// Random numbers that a seed repeats.

import { createHash } from "node:crypto";
import type { Random } from "../../base/host/random.ts";

/** A range of milliseconds; both ends are part of it. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * Returns a generator (xoshiro128**) of the seed and a name. Each node has its own, so that the numbers of one
 * do not depend on what others do meanwhile.
 */
export function seededRandom(seed: number, name: string): Random {
  const start = createHash("sha256").update(`${seed}/${name}`).digest();
  const state = Uint32Array.from({ length: 4 }, (_, index) => start.readUInt32LE(4 * index));
  const next = (): number => {
    const [a = 0, b = 0, c = 0, d = 0] = state;
    const result = Math.imul(rotate(Math.imul(b, 5), 7), 9) >>> 0;
    const [third, fourth] = [c ^ a, d ^ b];
    state.set([a ^ fourth, b ^ third, third ^ (b << 9), rotate(fourth, 11)]);
    return result;
  };
  return {
    fraction: () => next() / 2 ** 32,
    bytes: (count) => Uint8Array.from({ length: count }, () => next() >>> 24),
  };
}

export function drawn({ from, to }: Span, random: Random): number {
  return from + (to - from) * random.fraction();
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}
