// Packs the endpoints of a group into EndpointSlices with as few writes as possible: an endpoint stays in its
// slice, a new one goes into a slice that is written anyway, and the fullest slice with room comes first, so
// that those which have become small drain.

import type { Endpoint, EndpointSlice } from "../../../api/types/discovery.ts";
import { sameJson } from "../../../base/json/value.ts";
import { identityOf } from "./slice-groups.ts";

/** A planned slice; without `slice` it is yet to be created. */
export interface Bin {
  readonly slice?: EndpointSlice;
  readonly endpoints: Endpoint[];
  /** Whether the endpoints differ from those the slice holds. */
  isChanged: boolean;
}

export interface Packed {
  readonly bins: readonly Bin[];
  /** The slices of the group that no endpoint is left for. */
  readonly spare: readonly EndpointSlice[];
}

export function pack(
  wanted: ReadonlyMap<string, Endpoint>,
  slices: readonly EndpointSlice[],
  maximum: number,
): Packed {
  const missing = new Map(wanted);
  let bins = slices.map((slice) => keepWanted(slice, missing, maximum));
  for (const endpoint of missing.values()) {
    const bin = roomiest(bins, maximum) ?? newBin(bins);
    bin.endpoints.push(endpoint);
    bin.isChanged = true;
  }
  bins = foldOne(bins, maximum);
  const kept = bins.filter(({ endpoints }) => endpoints.length > 0);
  // A group without endpoints still has one empty slice.
  if (kept.length === 0) kept.push(bins.find(isUnchanged) ?? bins[0] ?? newBin([]));
  const used = new Set(kept.map(({ slice }) => slice));
  return { bins: kept, spare: slices.filter((slice) => !used.has(slice)) };
}

/** Keeps the endpoints of a slice that are still wanted, updated, and removes them from `missing`. */
function keepWanted(slice: EndpointSlice, missing: Map<string, Endpoint>, maximum: number): Bin {
  const present = slice.endpoints ?? [];
  const endpoints: Endpoint[] = [];
  let isChanged = false;
  for (const endpoint of present) {
    const identity = identityOf(endpoint);
    const wanted = missing.get(identity);
    if (wanted === undefined || endpoints.length === maximum) {
      isChanged = true;
      continue;
    }
    missing.delete(identity);
    endpoints.push(wanted);
    isChanged ||= !sameJson(wanted, endpoint);
  }
  return { slice, endpoints, isChanged };
}

/** Returns the slice for new endpoints: those written anyway come first, then the fuller one. */
function roomiest(bins: readonly Bin[], maximum: number): Bin | undefined {
  let best: Bin | undefined;
  for (const bin of bins) {
    if (bin.endpoints.length >= maximum) continue;
    if (best === undefined || isBetter(bin, best)) best = bin;
  }
  return best;
}

function isBetter(bin: Bin, than: Bin): boolean {
  if (bin.isChanged !== than.isChanged) return bin.isChanged;
  return bin.endpoints.length > than.endpoints.length;
}

function newBin(bins: Bin[]): Bin {
  const bin = { endpoints: [], isChanged: true };
  bins.push(bin);
  return bin;
}

/**
 * Merges the smallest slice into one that is written anyway, when the slices are less than a quarter full: a
 * single deletion more, so that a service that has shrunk does not keep all its slices.
 */
function foldOne(bins: readonly Bin[], maximum: number): Bin[] {
  const filled = bins.filter(({ endpoints }) => endpoints.length > 0);
  const total = filled.reduce((sum, { endpoints }) => sum + endpoints.length, 0);
  const written = filled.find(({ isChanged }) => isChanged);
  if (written === undefined || 4 * total > filled.length * maximum) return [...bins];
  const others = filled.filter((bin) => bin !== written);
  const [smallest] = others.toSorted((a, b) => a.endpoints.length - b.endpoints.length);
  if (smallest === undefined) return [...bins];
  if (written.endpoints.length + smallest.endpoints.length > maximum) return [...bins];
  written.endpoints.push(...smallest.endpoints.splice(0));
  return [...bins];
}

function isUnchanged({ isChanged }: Bin): boolean {
  return !isChanged;
}
