// A cache of upstream answers, bounded by their TTL and by size.

import type { Clock } from "../../../base/host/clock.ts";
import { rcodes } from "../wire/codes.ts";
import type { Sections } from "../wire/sections.ts";
import type { UpstreamAnswer } from "../wire/upstream-answer.ts";

export interface CacheOptions {
  readonly clock: Clock;
  /** The limit for the size of all answers together. */
  readonly maximumBytes: number;
  /** The time for which expired answers are kept, for when no upstream answers. */
  readonly staleMs: number;
}

export interface Cached {
  readonly answer: UpstreamAnswer;
  /** The monotonic time of arrival. */
  readonly since: number;
  readonly until: number;
  readonly bytes: number;
  hits: number;
  isRefreshing: boolean;
}

const longestTtl = 3600;
const longestNegativeTtl = 1800;
/** The TTL of a failure, so that a dead upstream is not asked by every client at once. */
const failureTtl = 2;
/** The memory that an entry takes beside its bytes. */
const overhead = 400;
/** The TTL of stale answers (RFC 8767): clients are to ask again soon. */
const staleTtl = 30;

export class AnswerCache {
  readonly #options: CacheOptions;
  /** The entries, least recently used first. */
  readonly #entries = new Map<string, Cached>();
  #bytes = 0;

  constructor(options: CacheOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The entry of a key, if it has not expired. */
  get(key: string): Cached | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.until <= this.#options.clock.monotonic()) return undefined;
    entry.hits += 1;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }

  /** The entry of a key, if it has not expired for longer than `staleMs`. */
  getStale(key: string): Cached | undefined {
    const { clock, staleMs } = this.#options;
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.until + staleMs > clock.monotonic() ? entry : undefined;
  }

  put(key: string, answer: UpstreamAnswer): void {
    const ttl = ttlOf(answer);
    if (ttl === 0) return;
    const since = this.#options.clock.monotonic();
    const bytes = overhead + 2 * key.length + answer.sections.bytes.length;
    const isFailure = ![rcodes.NOERROR, rcodes.NXDOMAIN].some((code) => code === answer.rcode);
    if (isFailure && this.getStale(key) !== undefined) return;
    this.#remove(key);
    const until = since + ttl * 1000;
    const entry = { answer, since, until, bytes, hits: 0, isRefreshing: false };
    this.#entries.set(key, entry);
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#options.maximumBytes) break;
      this.#remove(oldest);
    }
  }

  /** Whether an entry should be refreshed: it is popular and about to expire. */
  isDue(entry: Cached): boolean {
    const left = entry.until - this.#options.clock.monotonic();
    return entry.hits >= 3 && !entry.isRefreshing && left < (entry.until - entry.since) / 10;
  }

  /** The sections of an answer, with the remaining TTLs. */
  sections({ answer, since, until }: Cached): Sections {
    const now = this.#options.clock.monotonic();
    const elapsed = Math.floor((now - since) / 1000);
    const isStale = now >= until;
    const bytes = Buffer.from(answer.sections.bytes, "latin1");
    for (const offset of answer.ttlOffsets) {
      const ttl = bytes.readUInt32BE(offset) & 0x7fffffff;
      bytes.writeUInt32BE(isStale ? staleTtl : Math.max(0, ttl - elapsed), offset);
    }
    return { ...answer.sections, bytes: bytes.toString("latin1") };
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }
}

function ttlOf({ rcode, ttl, sections, isTruncated }: UpstreamAnswer): number {
  if (isTruncated) return 0;
  if (rcode === rcodes.NOERROR && sections.answers > 0) return Math.min(ttl, longestTtl);
  if (rcode === rcodes.NOERROR || rcode === rcodes.NXDOMAIN)
    return Math.min(ttl, longestNegativeTtl);
  return failureTtl;
}
