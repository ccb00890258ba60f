// Loads the log on disk into the index in memory.

import { type FramePlace, Log, type LossOptions } from "./log.system.ts";
import type { FoundRecord } from "./record.ts";
import { Version, Versions } from "./versions.ts";

export interface Loaded {
  readonly log: Log;
  readonly versions: Versions;
  /** The versions with a time to live, and when each expires, in milliseconds since 1970. */
  readonly expiring: ReadonlyMap<Version, number>;
}

export async function load(directory: string, loss: LossOptions = {}): Promise<Loaded> {
  const versions = new Versions();
  const expiring = new Map<Version, number>();
  let compacted = 0;
  const take = (record: FoundRecord, frame: FramePlace): void => {
    if (record.kind === "mark") {
      compacted = Math.max(compacted, record.created);
      versions.advance(record.modified);
      return;
    }
    const version = new Version({
      key: record.key,
      created: record.created,
      modified: record.modified,
      segment: frame.segment,
      offset: frame.offset + record.valueAt,
      length: record.kind === "put" ? record.valueLength : -1,
    });
    versions.add(version);
    if (record.expires > 0) expiring.set(version, record.expires);
  };
  const log = await Log.open(directory, take, loss);
  versions.sortHistory();
  versions.compact(compacted);
  for (const version of expiring.keys()) {
    if (versions.newest(version.key) !== version) expiring.delete(version);
  }
  return { log, versions, expiring };
}
