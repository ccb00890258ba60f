// Reads the values of many versions with few reads.

import { setImmediate } from "node:timers/promises";
import type { Entry } from "../port.ts";
import type { Segment } from "./segment.system.ts";
import type { Version } from "./versions.ts";

/** The size of a read, which is also what a single value of it keeps in memory. */
const largestRead = 128 << 10;
/** The widest gap between values that are read together. */
const widestGap = 4 << 10;
/** The number of bytes after which other work gets its turn on the event loop. */
const turn = 2 << 20;

export function readEntry(version: Version): Entry {
  return toEntry(version, version.segment.read(version.offset, version.length));
}

/**
 * Reads values in the order of the versions, none of which may be a deletion. Their files have to be held,
 * since other work runs in between.
 */
export async function readEntries(versions: readonly Version[]): Promise<Entry[]> {
  const entries: Entry[] = [];
  let sinceTurn = 0;
  for (const { segment, start, end, places } of runsOf(versions)) {
    const bytes = segment.read(start, end - start);
    for (const { index, offset, length } of places) {
      const value = bytes.subarray(offset - start, offset - start + length);
      entries[index] = toEntry(versions[index] as Version, value);
    }
    sinceTurn += end - start;
    if (sinceTurn < turn) continue;
    sinceTurn = 0;
    await setImmediate();
  }
  return entries;
}

/** The present place of a value; a snapshot may move it. */
interface Place {
  readonly index: number;
  readonly segment: Segment;
  readonly offset: number;
  readonly length: number;
}

/** A run of values that are read together. */
interface Run {
  readonly segment: Segment;
  readonly start: number;
  end: number;
  readonly places: Place[];
}

function runsOf(versions: readonly Version[]): Run[] {
  const runs: Run[] = [];
  for (const place of placesOf(versions)) {
    const { segment, offset } = place;
    const end = offset + place.length;
    const run = runs.at(-1);
    const isNear = run?.segment === segment && offset - run.end <= widestGap;
    if (run !== undefined && isNear && end - run.start <= largestRead) {
      run.end = end;
      run.places.push(place);
    } else {
      runs.push({ segment, start: offset, end, places: [place] });
    }
  }
  return runs;
}

function placesOf(versions: readonly Version[]): Place[] {
  const places = versions.map(({ segment, offset, length }, index) => ({
    index,
    segment,
    offset,
    length,
  }));
  return places.toSorted((a, b) => {
    if (a.segment === b.segment) return a.offset - b.offset;
    return a.segment.path < b.segment.path ? -1 : 1;
  });
}

function toEntry({ key, created, modified }: Version, value: Uint8Array): Entry {
  return { key, value, created, modified };
}
