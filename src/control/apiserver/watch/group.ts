// Watchers that ask for the same thing in the same form are one group: each change is filtered and
// written out once for all of them.
import type { Revision } from "../../store/store.ts";
import type { Subscriber } from "../cache/collection.ts";
import type { CacheEvent } from "../cache/history.ts";
import type { Item } from "../cache/item.ts";
import type { SubscriberKey } from "../cache/keyed-subscribers.ts";
import type { View } from "../views/view.ts";
import { frame } from "./frame.ts";

export interface Filter {
  /** The id; filters with the same id match the same items. */
  readonly id: string;
  /** A value that every matching item has, by which changes are led to the filter. */
  readonly key?: SubscriberKey | undefined;
  matches(item: Item): boolean;
}

export interface Watcher {
  /** Receives frames in revision order; everything up to `revision` has been delivered. */
  send(frames: Buffer, revision: Revision): void;
  /** Learns that changes since the last frame may have been missed. */
  lost(): void;
}

export class WatchGroup implements Subscriber {
  readonly #filter: Filter;
  readonly #view: View;
  readonly #memo: FrameMemo;
  readonly #watchers = new Set<Watcher>();
  /** The delivery of earlier changes, while it waits for their conversion. */
  #waiting: Promise<void> | undefined;

  constructor(filter: Filter, view: View, memo: FrameMemo) {
    this.#filter = filter;
    this.#view = view;
    this.#memo = memo;
  }

  get size(): number {
    return this.#watchers.size;
  }

  /** Whether changes wait for their conversion, so that watchers have not got all that the cache has. */
  get isBehind(): boolean {
    return this.#waiting !== undefined;
  }

  add(watcher: Watcher): void {
    this.#watchers.add(watcher);
  }

  remove(watcher: Watcher): boolean {
    return this.#watchers.delete(watcher);
  }

  changed(events: readonly CacheEvent[], revision: Revision): void {
    const ready = this.#waiting ?? this.prepare(events);
    if (ready === undefined) this.#deliver(events, revision);
    else this.#deliverLater(ready, { events, revision });
  }

  /** Makes the items of changes ready to be written; `undefined` when they are. */
  prepare(events: readonly CacheEvent[]): Promise<void> | undefined {
    return this.#view.prepare?.(
      events.flatMap(({ item, previous }) => (previous === undefined ? [item] : [item, previous])),
    );
  }

  /** Delivers changes in order, after those that are waited for. */
  #deliverLater(
    ready: Promise<void>,
    { events, revision }: { events: readonly CacheEvent[]; revision: Revision },
  ): void {
    const waiting = ready
      .then(() => this.prepare(events))
      .then(() => this.#deliver(events, revision))
      // Watchers that miss a change must list again, which tells them what is wrong.
      .catch(() => this.lost())
      .finally(() => {
        if (this.#waiting === waiting) this.#waiting = undefined;
      });
    this.#waiting = waiting;
  }

  #deliver(events: readonly CacheEvent[], revision: Revision): void {
    const frames = this.frames(events);
    if (frames === undefined) return;
    for (const watcher of this.#watchers) watcher.send(frames, revision);
  }

  lost(): void {
    for (const watcher of this.#watchers) watcher.lost();
  }

  /** Returns the frames of changes that the group sees; `undefined` when it sees none of them. */
  frames(events: readonly CacheEvent[]): Buffer | undefined {
    const frames: Buffer[] = [];
    this.#memo.begin(events);
    for (const event of events) {
      const seen = this.#asSeen(event);
      if (seen !== undefined) frames.push(this.#memo.frame(this.#view, event, seen));
    }
    return frames.length > 1 ? Buffer.concat(frames) : frames[0];
  }

  /** Returns the event as seen through the filter: what starts to match is added, what ceases is deleted. */
  #asSeen(event: CacheEvent): Seen | undefined {
    const { item, previous, revision } = event;
    const before = previous !== undefined && this.#filter.matches(previous);
    const after = event.type !== "DELETED" && this.#filter.matches(item);
    if (after) return { type: before ? "MODIFIED" : "ADDED", item };
    if (!before) return undefined;
    return { type: "DELETED", item: event.type === "DELETED" ? item : previous.at(revision) };
  }
}

/** The event that a watcher sees. */
interface Seen {
  readonly type: CacheEvent["type"];
  readonly item: Item;
}

/** The frames of the latest changes, which several groups may want in the same form. */
export class FrameMemo {
  #events: ReadonlySet<CacheEvent> = new Set();
  readonly #frames = new Map<CacheEvent, Map<string, Buffer>>();

  /** Starts with new changes, and forgets the frames of earlier ones. Groups may have a part of them only. */
  begin(events: readonly CacheEvent[]): void {
    if (events.every((event) => this.#events.has(event))) return;
    this.#events = new Set(events);
    this.#frames.clear();
  }

  frame(view: View, event: CacheEvent, { type, item }: Seen): Buffer {
    const id = `${type} ${view.id}`;
    const made = this.#frames.get(event) ?? new Map<string, Buffer>();
    const known = made.get(id) ?? frame(view.media, type, view.single(item));
    made.set(id, known);
    this.#frames.set(event, made);
    return known;
  }
}
