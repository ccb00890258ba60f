// Ranges of the machine's user ids that belong to one pod alone.

import type { Random } from "../../../base/host/random.ts";
import type { UserRange } from "../../runtime/runtime.ts";

/** The number of ids in a range: all 16-bit ids that images may use. */
const count = 65_536;

/** The first id of the first range, above those of the machine's users and of their subordinate ids. */
const first = 2 ** 30;
const ranges = 16_384;

/**
 * Returns a free range, chosen at random, so that several nodes on one machine hardly ever choose the same.
 */
export function freeRange(taken: readonly UserRange[], random: Random): UserRange {
  if (taken.length >= ranges) throw new Error("Cannot give a pod users of its own: all are taken");
  const used = new Set(taken.map((range) => range.first));
  let number = Buffer.from(random.bytes(4)).readUInt32BE() % ranges;
  while (used.has(first + number * count)) number = (number + 1) % ranges;
  return { first: first + number * count, count };
}
