import { type Pair, type PairHolder, reconcilePair, valuesOf } from "../../api/pairs/pair.ts";
import { Address } from "../../base/net/address.ts";
import type { PlatformStatus } from "./object.ts";

export interface Kept {
  readonly status: PlatformStatus;
  readonly warnings: readonly string[];
}

/**
 * Brings the deprecated singular fields and the lists in step. The list wins: its first element has
 * the cluster's primary family. Nothing is ever added to a list that has something.
 *
 * | list     | singular | becomes            |
 * | -------- | -------- | ------------------ |
 * | empty    | a        | list [a]           |
 * | [a, b]   | empty    | singular a         |
 * | [a, b]   | a        | as it is           |
 * | [a, b]   | b        | singular a         |
 * | [a, b]   | c        | singular a, warned |
 */
export function keepInStep(status: PlatformStatus, path: string): Kept {
  const holder: PairHolder = { ...status };
  const warnings = statusPairs.flatMap((pair) => {
    const singular = holder[pair.singular];
    const isListed =
      typeof singular === "string" && valuesOf(holder, pair).includes(pair.canonical(singular));
    const outcome = reconcilePair(holder, pair, { path });
    return isListed ? [] : outcome.warnings;
  });
  return { status: holder, warnings };
}

/** The canonical text of an address; other text stays as it is, for validation to name. */
export function canonical(text: string): string {
  return Address.tryParse(text)?.toString() ?? text;
}

const statusPairs: readonly Pair[] = [
  {
    singular: "apiServerInternalIP",
    plural: "apiServerInternalIPs",
    mismatch: "listWins",
    canonical,
  },
  { singular: "ingressIP", plural: "ingressIPs", mismatch: "listWins", canonical },
];
