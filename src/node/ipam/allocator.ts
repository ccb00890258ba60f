import type { Address } from "../../base/net/address.ts";
import { AddressRange } from "../../base/net/range.ts";
import { lowestFree, RangeSet, type Taken } from "../../base/net/range-set.ts";
import type { PoolRange } from "./config/range.ts";
import type { Pool, Reservation } from "./datastore/port.ts";
import type { Reason } from "./errors.ts";

/** A range together with the pool it is handed out of. */
export interface PooledRange extends PoolRange {
  readonly pool: Pool;
}

/** The state of the pools that addresses are chosen on. */
export interface Known {
  /** The reservations that the asking owner has already. */
  readonly held: readonly Reservation[];
  taken(pool: Pool): readonly Taken[];
  kept(pool: Pool): readonly Reservation[];
}

export interface Wish {
  readonly ranges: readonly PooledRange[];
  /** The addresses that must be among those chosen. */
  readonly requested: readonly Address[];
}

export interface Choice {
  readonly range: PooledRange;
  readonly address: Address;
  /** The reservation that gives way: it was only kept for an owner that might have come back. */
  readonly reclaimed?: Reservation;
}

export interface Refusal {
  readonly reason: Reason & ("exhausted" | "addressTaken");
  readonly message: string;
}

/** Chooses one address of each range, or says why there is none. Changes nothing. */
export function choose(known: Known, { ranges, requested }: Wish): Choice[] | Refusal {
  const choices: Choice[] = [];
  const open = [...requested];
  let chosen = RangeSet.empty;
  for (const range of ranges) {
    const wanted = open.findIndex((address) => range.prefix.contains(address));
    const [address] = wanted < 0 ? [] : open.splice(wanted, 1);
    const choice =
      address === undefined
        ? (chooseHeld(known, range, chosen) ??
          chooseFree(known, range, chosen) ??
          reclaim(known, range, chosen))
        : chooseRequested(known, { range, address, chosen });
    if (choice === undefined)
      return address === undefined ? exhausted(range) : unavailable(address, range);
    choices.push(choice);
    chosen = chosen.add(choice.address);
  }
  const [left] = open;
  return left === undefined ? choices : outside(left, ranges);
}

/** Counts the addresses of a range that can be handed out. */
export function capacity({ window, excluded }: PoolRange): bigint {
  let size = window.size;
  for (const range of excluded) {
    if (window.overlaps(range)) size -= window.intersect(range)?.size ?? 0n;
  }
  return size;
}

export function isRefusal(outcome: readonly Choice[] | Refusal): outcome is Refusal {
  return "reason" in outcome;
}

function chooseHeld(known: Known, range: PooledRange, chosen: RangeSet): Choice | undefined {
  const held = known.held.find(
    ({ pool, address }) =>
      pool.name === range.pool.name && isOffered(range, address) && !chosen.contains(address),
  );
  return held && { range, address: held.address };
}

function chooseFree(known: Known, range: PooledRange, chosen: RangeSet): Choice | undefined {
  const address = lowestFree(range.window, range.excluded, ...known.taken(range.pool), chosen);
  return address && { range, address };
}

/** Takes an address that is kept for an owner which may come back, since that is better than none. */
function reclaim(known: Known, range: PooledRange, chosen: RangeSet): Choice | undefined {
  const reclaimed = known
    .kept(range.pool)
    .find(({ address }) => isOffered(range, address) && !chosen.contains(address));
  return reclaimed && { range, address: reclaimed.address, reclaimed };
}

function chooseRequested(
  known: Known,
  { range, address, chosen }: { range: PooledRange; address: Address; chosen: RangeSet },
): Choice | undefined {
  if (!isOffered(range, address)) return undefined;
  const single = { ...range, window: AddressRange.of(address, address) };
  const choice =
    chooseHeld(known, single, chosen) ??
    chooseFree(known, single, chosen) ??
    reclaim(known, single, chosen);
  return choice && { ...choice, range };
}

function isOffered({ window, excluded }: PoolRange, address: Address): boolean {
  return window.contains(address) && !excluded.contains(address);
}

function exhausted(range: PooledRange): Refusal {
  const { prefix, window, pool } = range;
  const usable = capacity(range);
  const slice =
    pool.node === undefined ? "" : `, node ${pool.node}'s slice ${pool.range.toString()}`;
  const excluded = window.size - usable;
  const state =
    usable === 0n
      ? "every address is excluded"
      : `${usable === 1n ? "its one usable address is" : `all ${usable} usable addresses are`} taken`;
  const rest = usable > 0n && excluded > 0n ? `, ${excluded} excluded` : "";
  return {
    reason: "exhausted",
    message: `Cannot allocate from ${prefix.toString()} (${window.toString()}${slice}): ${state}${rest}`,
  };
}

function unavailable(address: Address, { window, excluded }: PooledRange): Refusal {
  const isOutside = !window.contains(address);
  const state = isOutside
    ? `only ${window.toString()} is handed out`
    : `it is ${excluded.contains(address) ? "excluded" : "taken"}`;
  return {
    reason: "addressTaken",
    message: `Cannot allocate the requested ${address.toString()}: ${state}`,
  };
}

function outside(address: Address, ranges: readonly PooledRange[]): Refusal {
  const offered = ranges.map(({ prefix }) => prefix.toString()).join(", ");
  return {
    reason: "addressTaken",
    message: `Cannot allocate the requested ${address.toString()}: it is in none of ${offered}`,
  };
}
