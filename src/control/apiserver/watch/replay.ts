// Replays changes that the cache has forgotten but the store still has.

import type { Change, Revision } from "../../store/store.ts";
import { isExpired } from "../../store/store.ts";
import type { CacheEvent } from "../cache/history.ts";
import type { Core } from "../core.ts";
import { parseKey, registry } from "../keys.ts";

/** The most events that are replayed; beyond that a client is better off with a new list. */
const maximumEvents = 10_000;

/** Returns the changes after a revision; `undefined` when they are too many or already compacted. */
export async function replay(
  core: Core,
  collection: string,
  after: Revision,
): Promise<{ events: CacheEvent[]; revision: Revision } | undefined> {
  const stop = new AbortController();
  const events: CacheEvent[] = [];
  try {
    const newest = await core.store.revision();
    const prefix = `${registry}${collection}/`;
    for await (const batch of core.store.watch(prefix, { after, signal: stop.signal })) {
      events.push(...batch.changes.flatMap((change) => eventOf(core, change) ?? []));
      if (events.length > maximumEvents) return undefined;
      if (batch.revision >= newest) return { events, revision: batch.revision };
    }
    return undefined;
  } catch (error) {
    if (isExpired(error)) return undefined;
    throw error;
  } finally {
    stop.abort();
  }
}

function eventOf({ cache }: Core, change: Change): CacheEvent | undefined {
  const place = parseKey(change.key);
  if (place === undefined) return undefined;
  const { modified: revision, value } = change;
  const previous =
    change.previous && cache.item(place, change.previous.value, change.previous.modified);
  if (change.type === "delete") {
    return previous && { type: "DELETED", revision, item: previous.at(revision), previous };
  }
  const type = previous === undefined ? "ADDED" : "MODIFIED";
  return { type, revision, item: cache.item(place, value, revision), previous };
}
