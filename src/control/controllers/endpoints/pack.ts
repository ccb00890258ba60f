// Distributes the endpoints of a group over slices with as few writes as possible: what is in a slice
// stays there, what is new goes where something is written anyway, and the fullest slice that has room
// comes first, so that those which have become small drain.

import type { Endpoint, EndpointSlice } from "../../../api/types/discovery.ts";
import { sameJson } from "../../../base/json/value.ts";
import { identityOf } from "./slice-groups.ts";

/** A slice to be; without `slice` it is yet to be made. */
export interface Bin {
  readonly slice?: EndpointSlice;
  readonly endpoints: Endpoint[];
  /** Whether the endpoints differ from what the slice holds. */
  isChanged: boolean;
}

export interface Packed {
  readonly bins: readonly Bin[];
  /** Slices of the group that nothing is left for. */
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
  // A group without endpoints is one empty slice.
  if (kept.length === 0) kept.push(bins.find(isUnchanged) ?? bins[0] ?? newBin([]));
  const used = new Set(kept.map(({ slice }) => slice));
  return { bins: kept, spare: slices.filter((slice) => !used.has(slice)) };
}

/** What is still wanted of a slice, as it should be now; takes it out of what is missing. */
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

/** Slices that are written anyway come first, then the fuller one. */
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
 * When the slices are less than a quarter full, one that is written anyway takes in the smallest
 * other: a single deletion more, so that what a service once grew to does not stay.
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
