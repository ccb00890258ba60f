// Reads what an embedded store holds while another process may have it open and be writing. Logs only grow, so
// that all whole frames of the files that exist at one moment are a state that the store was in.

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../../../base/program/errors.ts";
import type { Contents, KeptEntry } from "../backup/contents.ts";
import { StoreError } from "../errors.ts";
import type { Revision } from "../port.ts";
import { Acknowledged } from "./acknowledged.system.ts";
import { fileName, planFiles } from "./directory.system.ts";
import { findFrame, readRecords } from "./record.ts";
import { damaged, Segment } from "./segment.system.ts";

/** How often files may be replaced by a snapshot while they are being opened. */
const attempts = 10;

/** Reads the newest state; entries that expire by themselves are left out. */
export async function readEmbedded(directory: string): Promise<Contents> {
  for (let attempt = 1; ; attempt++) {
    const state = new State();
    try {
      await state.read(directory);
      return state;
    } catch (error) {
      state.close();
      const isReplaced = systemCode(error) === "ENOENT";
      if (!isReplaced || attempt === attempts) throw error;
    }
  }
}

interface Found {
  readonly key: string;
  readonly created: Revision;
  readonly modified: Revision;
  readonly isKept: boolean;
  readonly segment: Segment;
  readonly offset: number;
  readonly length: number;
}

class State implements Contents {
  readonly #found = new Map<string, Found>();
  readonly #segments: Segment[] = [];
  /** An empty store is at 1. */
  revision: Revision = 1;

  async read(directory: string): Promise<void> {
    const names = await readdir(directory).catch(() => []);
    if (planFiles(names).logs.length === 0 && planFiles(names).snapshot === undefined) {
      throw new StoreError(`Cannot read ${directory}: there is no store`, { reason: "invalid" });
    }
    const place = readAcknowledged(directory);
    const { snapshot, logs, missing } = planFiles(await readdir(directory));
    if (missing !== undefined) throw damaged(join(directory, fileName(missing, "log")), 0);
    if (snapshot !== undefined)
      this.#replay(join(directory, fileName(snapshot, "snapshot")), false);
    let end = 0;
    for (const number of logs) {
      const path = join(directory, fileName(number, "log"));
      end = this.#replay(path, number === logs.at(-1));
    }
    const last = logs.at(-1) ?? snapshot ?? 0;
    const isLost = place.number > last || (place.number === logs.at(-1) && end < place.size);
    if (isLost) throw damaged(join(directory, fileName(place.number, "log")), end);
  }

  async *entries(): AsyncGenerator<KeptEntry> {
    const kept = this.#found.values().filter(({ isKept }) => isKept);
    const sorted = [...kept].toSorted((a, b) => (a.key < b.key ? -1 : 1));
    for (const { key, created, modified, segment, offset, length } of sorted) {
      yield { key, created, modified, value: segment.read(offset, length) };
    }
  }

  close(): void {
    for (const segment of this.#segments.splice(0)) segment.retire();
  }

  /** Returns where the last whole frame ends; only the log that is being written may end in half a frame. */
  #replay(path: string, mayBeTorn: boolean): number {
    const segment = Segment.open(path);
    if (segment === undefined) {
      if (mayBeTorn) return 0;
      throw damaged(path, 0);
    }
    this.#segments.push(segment);
    const end = segment.readFrames((frame, at) => {
      readRecords(frame, ({ kind, key, created, modified, expires, valueAt, valueLength }) => {
        this.revision = Math.max(this.revision, modified);
        const known = this.#found.get(key);
        if (kind === "mark" || (known !== undefined && known.modified > modified)) return;
        const isKept = kind === "put" && expires === 0;
        const place = { segment, offset: at + valueAt, length: valueLength };
        this.#found.set(key, { key, created, modified, isKept, ...place });
      });
    });
    const rest = segment.size - end;
    const isTorn = mayBeTorn && findFrame(segment.read(end, rest), 0, segment.salt) < 0;
    if (rest > 0 && !isTorn) throw damaged(path, end);
    return end;
  }
}

function readAcknowledged(directory: string): { number: number; size: number } {
  const acknowledged = new Acknowledged(directory);
  try {
    return acknowledged.read() ?? { number: 0, size: 0 };
  } finally {
    acknowledged.close();
  }
}
