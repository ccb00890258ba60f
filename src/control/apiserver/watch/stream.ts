// One watcher's connection: first the initial state or past events, then every change as it comes. A client
// that does not keep up is disconnected, because the events waiting for it take the server's memory.
import type { Random } from "../../../base/host/random.ts";
import type { Revision } from "../../store/store.ts";
import type { Collection } from "../cache/collection.ts";
import type { Core } from "../core.ts";
import { resourceVersionTooOld, type StatusError } from "../errors.ts";
import { type HttpResponse, isGone } from "../http/message.ts";
import { drained, encodeInMedia } from "../http/respond.ts";
import { TimeSlice } from "../limits/time-slice.ts";
import type { View } from "../views/view.ts";
import { frame } from "./frame.ts";
import type { Filter, Watcher, WatchGroup } from "./group.ts";
import { replay } from "./replay.ts";

export interface WatchWish {
  readonly collection: Collection;
  readonly namespace: string | undefined;
  readonly filter: Filter;
  readonly view: View;
  readonly bookmarks: boolean;
  /** The timeout; 0 leaves the choice to the server. */
  readonly timeoutSeconds: number;
}

/** The most bytes that may wait for a client. */
const maximumBacklog = 16 * 1024 * 1024;
const bookmarkInterval = 60_000;
/** The longest timeout: a day, since timers cannot count much further. */
const longestTimeout = 86_400;
const slabSize = 128 * 1024;
const eventsAtOnce = 100;

export class WatchStream implements Watcher {
  readonly #core: Core;
  readonly #response: HttpResponse;
  readonly #wish: WatchWish;
  /** The events that happen while initial ones are still being sent. */
  #held: Buffer[] | undefined = [];
  #heldBytes = 0;
  #leave: () => void = () => undefined;

  constructor(core: Core, response: HttpResponse, wish: WatchWish) {
    this.#core = core;
    this.#response = response;
    this.#wish = wish;
  }

  /** Starts with the present state. */
  async fromState({ announceEnd }: { announceEnd: boolean }): Promise<void> {
    const { collection, namespace, filter, view } = this.#wish;
    const items = collection.list(namespace);
    const { revision } = this.#core.cache;
    this.#join();
    await this.#wish.view.prepare?.(items);
    let frames: Buffer[] = [];
    let size = 0;
    const slice = new TimeSlice();
    for (const item of items) {
      if (slice.isOver) await slice.yield();
      if (!filter.matches(item)) continue;
      const added = frame(view.media, "ADDED", view.single(item));
      frames.push(added);
      size += added.length;
      if (size < slabSize) continue;
      await this.#write(frames);
      if (this.#isOver) return;
      frames = [];
      size = 0;
    }
    if (announceEnd) frames.push(this.#bookmark(revision, { "k8s.io/initial-events-end": "true" }));
    await this.#write(frames);
    this.#release();
  }

  /** Starts with the events after a revision. */
  async fromRevision(revision: Revision): Promise<void> {
    const { collection } = this.#wish;
    const isRecent = collection.history.after(revision) !== undefined;
    const old = isRecent ? { events: [], revision } : await this.#replayed(revision);
    // Nothing is awaited between the look into the history and the join: a change that came in between would
    // be told to nobody.
    const recent = old && collection.history.after(old.revision);
    if (old === undefined || recent === undefined) {
      this.#fail(resourceVersionTooOld(revision, collection.history.complete));
      return;
    }
    const past = [...old.events, ...recent];
    const group = this.#join();
    await group.prepare(past);
    const slice = new TimeSlice();
    for (let start = 0; start < past.length && !this.#isOver; start += eventsAtOnce) {
      const frames = group.frames(past.slice(start, start + eventsAtOnce));
      await this.#write(frames === undefined ? [] : [frames]);
      await slice.yield();
    }
    this.#release();
  }

  send(frames: Buffer): void {
    if (this.#isOver) return;
    if (this.#held !== undefined) {
      this.#held.push(frames);
      this.#heldBytes += frames.length;
    }
    if (this.#heldBytes + this.#response.writableLength > maximumBacklog) this.#response.destroy();
    else if (this.#held === undefined) this.#response.write(frames);
  }

  lost(): void {
    this.#fail(resourceVersionTooOld(0, this.#core.cache.revision));
  }

  /** Returns the events after a revision that the cache has forgotten, up to one that it has reached. */
  async #replayed(revision: Revision): Promise<Awaited<ReturnType<typeof replay>>> {
    const past = await replay(this.#core, this.#wish.collection.id, revision);
    if (past !== undefined) await this.#core.cache.reached(past.revision);
    return past;
  }

  get #isOver(): boolean {
    return isGone(this.#response) || this.#response.writableEnded;
  }

  #join() {
    const { group, leave } = this.#core.watches.join(this, this.#wish);
    const end = () => this.#finish();
    const seconds = Math.min(
      this.#wish.timeoutSeconds || defaultTimeout(this.#core.random),
      longestTimeout,
    );
    const timeout = setTimeout(end, 1000 * seconds);
    const bookmarks = this.#wish.bookmarks
      ? setInterval(() => this.#tellProgress(group), bookmarkInterval)
      : undefined;
    const { signal } = this.#core.stop;
    signal.addEventListener("abort", end, { once: true });
    this.#leave = () => {
      leave();
      clearTimeout(timeout);
      clearInterval(bookmarks);
      signal.removeEventListener("abort", end);
    };
    // A client that is already gone emits no further "close" event.
    if (this.#isOver) this.#leave();
    else this.#response.once("close", this.#leave);
    return group;
  }

  #release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    this.#heldBytes = 0;
    if (held.length > 0) this.send(Buffer.concat(held));
  }

  #tellProgress({ isBehind }: WatchGroup): void {
    if (this.#held !== undefined || isBehind) return;
    this.send(this.#bookmark(this.#core.cache.revision));
  }

  #bookmark(revision: Revision, annotations?: Record<string, string>): Buffer {
    const metadata = { resourceVersion: String(revision), ...(annotations && { annotations }) };
    const { view } = this.#wish;
    return frame(view.media, "BOOKMARK", view.bookmark(metadata));
  }

  #fail(error: StatusError): void {
    const { media } = this.#wish.view;
    const status = encodeInMedia(Buffer.from(JSON.stringify(error.toStatus())), media);
    this.#finish(frame(media, "ERROR", status));
  }

  /** Ends the stream; nothing may be written afterwards. */
  #finish(last?: Buffer): void {
    this.#leave();
    if (!this.#isOver) this.#response.end(last);
  }

  async #write(frames: readonly Buffer[]): Promise<void> {
    if (frames.length === 0 || this.#isOver) return;
    if (!this.#response.write(Buffer.concat(frames))) await drained(this.#response);
  }
}

/** Returns a random timeout, so that clients that came together do not come back together. */
function defaultTimeout(random: Random): number {
  return 1800 + Math.floor(random.fraction() * 1800);
}
