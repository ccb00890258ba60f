// The index: all versions of every key since the compacted revision, with the places of their values.

import type { Revision } from "../port.ts";
import { Ordered } from "./ordered.ts";
import { valueDistance } from "./record.ts";
import type { Segment } from "./segment.system.ts";

/** One version of one key. There are hundreds of thousands of these, so it has no field to spare. */
export class Version {
  readonly key: string;
  readonly created: Revision;
  readonly modified: Revision;
  segment: Segment;
  /** The offset of the value in the segment. */
  offset: number;
  /** The length of the value; -1 for a deletion. */
  readonly length: number;
  /** The previous version, if it is not compacted. */
  older: Version | undefined = undefined;

  constructor(fields: Omit<Version, "older" | "isDeletion" | "bytes">) {
    this.key = fields.key;
    this.created = fields.created;
    this.modified = fields.modified;
    this.segment = fields.segment;
    this.offset = fields.offset;
    this.length = fields.length;
  }

  get isDeletion(): boolean {
    return this.length < 0;
  }

  /** The size of the version's record in the log. */
  get bytes(): number {
    return valueDistance(this.key) + Math.max(this.length, 0);
  }
}

export interface Range {
  readonly prefix: string;
  readonly revision: Revision;
  readonly after?: string | undefined;
  readonly limit: number;
}

export class Versions {
  /** The newest version of each key; a deletion stays until it is compacted. */
  readonly #newest = new Ordered<Version>();
  /** Every version after the compacted revision, by revision. */
  readonly #history: Version[] = [];
  #revision: Revision = 1;
  #compacted: Revision = 0;
  #bytes = 0;

  get revision(): Revision {
    return this.#revision;
  }

  get compacted(): Revision {
    return this.#compacted;
  }

  /** The size in the log of all kept versions. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Returns the newest version of a key, also when it is a deletion. */
  newest(key: string): Version | undefined {
    return this.#newest.get(key);
  }

  /** Adds a version; they must come in the order of revisions. */
  add(version: Version): void {
    version.older = this.#newest.set(version);
    this.#history.push(version);
    this.#bytes += version.bytes;
    this.advance(version.modified);
  }

  advance(revision: Revision): void {
    if (revision > this.#revision) this.#revision = revision;
  }

  /** Returns the versions that were the newest at a revision, without deletions. */
  range({ prefix, revision, after, limit }: Range): Version[] {
    const found: Version[] = [];
    const start = after !== undefined && after >= prefix ? `${after}\0` : prefix;
    for (const newest of this.#newest.from(start)) {
      if (found.length === limit || !newest.key.startsWith(prefix)) break;
      let version: Version | undefined = newest;
      while (version !== undefined && version.modified > revision) version = version.older;
      if (version !== undefined && !version.isDeletion) found.push(version);
    }
    return found;
  }

  /** Estimates how many keys with the prefix follow this one: deletions count until compacted. */
  countBehind(prefix: string, key: string): number {
    return this.#newest.count(`${key}\0`, `${prefix}\uffff`);
  }

  /**
   * Returns what was committed after a revision: at least `limit` versions if there are so many, and only
   * whole revisions.
   */
  after(revision: Revision, limit: number): Version[] {
    const start = this.#firstAfter(revision);
    let end = Math.min(start + limit, this.#history.length);
    while (end < this.#history.length && this.#at(end).modified === this.#at(end - 1).modified)
      end++;
    return this.#history.slice(start, end);
  }

  /** Forgets versions that were replaced at or before a revision. */
  compact(revision: Revision): void {
    if (revision <= this.#compacted) return;
    this.#compacted = revision;
    const kept = this.#firstAfter(revision);
    for (let index = 0; index < kept; index++) {
      const version = this.#at(index);
      this.#bytes -= version.older?.bytes ?? 0;
      version.older = undefined;
      // A deletion below a newer version is removed with that version's past.
      if (!version.isDeletion || this.newest(version.key) !== version) continue;
      this.#bytes -= version.bytes;
      this.#newest.delete(version.key);
    }
    this.#history.splice(0, kept);
  }

  /** Iterates all kept versions of the keys behind the given one, key by key, oldest first. */
  *keptAfter(key: string): Generator<Version[]> {
    for (const newest of this.#newest.from(`${key}\0`)) {
      const versions: Version[] = [];
      for (let v: Version | undefined = newest; v !== undefined; v = v.older) versions.push(v);
      yield versions.toReversed();
    }
  }

  /** Sorts history by revision after loading, since a snapshot is in key order. */
  sortHistory(): void {
    this.#history.sort((a, b) => a.modified - b.modified);
  }

  #firstAfter(revision: Revision): number {
    let low = 0;
    for (let high = this.#history.length; low < high; ) {
      const middle = (low + high) >> 1;
      if (this.#at(middle).modified <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #at(index: number): Version {
    return this.#history[index] as Version;
  }
}
