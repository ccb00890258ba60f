// Users of the machine that are a pod's alone.

import type { Random } from "../../../base/host/random.ts";
import type { UserRange } from "../../runtime/runtime.ts";

/** As many as images know. */
const count = 65_536;

/** Above those that machines give to people, and to their containers. */
const first = 2 ** 30;
const ranges = 16_384;

/** Chosen at random, so that nodes of one machine meet as good as never. */
export function freeRange(taken: readonly UserRange[], random: Random): UserRange {
  if (taken.length >= ranges) throw new Error("Cannot give a pod users of its own: all are taken");
  const used = new Set(taken.map((range) => range.first));
  let number = Buffer.from(random.bytes(4)).readUInt32BE() % ranges;
  while (used.has(first + number * count)) number = (number + 1) % ranges;
  return { first: first + number * count, count };
}
