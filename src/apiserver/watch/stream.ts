// One watcher's connection: first what was or happened before, then every change as it comes. A
// client that does not keep up is cut off, because what waits for it fills the server's memory.
import type { Revision } from "../../store/port.ts";
import type { Collection } from "../cache/collection.ts";
import type { CacheEvent } from "../cache/history.ts";
import type { Core } from "../core.ts";
import { resourceVersionTooOld, type StatusError } from "../errors.ts";
import type { HttpResponse } from "../http/message.ts";
import { drained } from "../http/respond.ts";
import type { View } from "../views/view.ts";
import { type Filter, frame, type Watcher } from "./group.ts";
import { replay } from "./replay.ts";

export interface WatchWish {
  readonly collection: Collection;
  readonly namespace: string | undefined;
  readonly filter: Filter;
  readonly view: View;
  readonly bookmarks: boolean;
  /** 0 leaves the choice to the server. */
  readonly timeoutSeconds: number;
}

/** What may wait for a client to take it. */
const maximumBacklog = 16 * 1024 * 1024;
const bookmarkInterval = 60_000;
const slabSize = 128 * 1024;

export class WatchStream implements Watcher {
  readonly #core: Core;
  readonly #response: HttpResponse;
  readonly #wish: WatchWish;
  /** What happens while the past is still being sent. */
  #held: Buffer[] | undefined = [];
  #heldBytes = 0;
  #end: () => void = () => undefined;

  constructor(core: Core, response: HttpResponse, wish: WatchWish) {
    this.#core = core;
    this.#response = response;
    this.#wish = wish;
  }

  /** Starts with everything there is. */
  async fromState({ announceEnd }: { announceEnd: boolean }): Promise<void> {
    const { collection, namespace, filter, view } = this.#wish;
    const items = collection.list(namespace);
    const revision = this.#core.cache.revision;
    this.#join();
    let frames: Buffer[] = [];
    let size = 0;
    for (const item of items) {
      if (!filter.matches(item)) continue;
      const added = frame("ADDED", view.single(item));
      frames.push(added);
      size += added.length;
      if (size < slabSize) continue;
      await this.#write(Buffer.concat(frames));
      if (this.#response.destroyed) return;
      frames = [];
      size = 0;
    }
    if (announceEnd) {
      const annotations = { "k8s.io/initial-events-end": "true" };
      frames.push(this.#bookmark(revision, annotations));
    }
    if (frames.length > 0) await this.#write(Buffer.concat(frames));
    this.#release();
  }

  /** Starts with what happened after a revision. */
  async fromRevision(revision: Revision): Promise<void> {
    const { collection } = this.#wish;
    let past: readonly CacheEvent[] = [];
    let recent = collection.history.after(revision);
    if (recent === undefined) {
      const replayed = await replay(this.#core, collection.id, revision);
      past = replayed?.events ?? [];
      recent = replayed && collection.history.after(replayed.revision);
    }
    if (recent === undefined) {
      this.#fail(resourceVersionTooOld(revision, collection.history.complete));
      return;
    }
    const frames = this.#join().frames([...past, ...recent]);
    if (frames !== undefined) await this.#write(frames);
    this.#release();
  }

  send(frames: Buffer): void {
    if (this.#held !== undefined) {
      this.#held.push(frames);
      this.#heldBytes += frames.length;
      if (this.#heldBytes > maximumBacklog) this.#response.destroy();
      return;
    }
    if (this.#response.writableLength > maximumBacklog) this.#response.destroy();
    else this.#response.write(frames);
  }

  lost(): void {
    this.#fail(resourceVersionTooOld(0, this.#core.cache.revision));
  }

  #join() {
    const { group, leave } = this.#core.watches.join(this, this.#wish);
    const end = () => this.#response.end();
    const timeout = setTimeout(end, 1000 * (this.#wish.timeoutSeconds || defaultTimeout()));
    const bookmarks = this.#wish.bookmarks
      ? setInterval(() => this.#tellProgress(), bookmarkInterval)
      : undefined;
    const stopping = this.#core.stop.signal;
    stopping.addEventListener("abort", end, { once: true });
    this.#end = () => {
      leave();
      clearTimeout(timeout);
      clearInterval(bookmarks);
      stopping.removeEventListener("abort", end);
    };
    this.#response.once("close", this.#end);
    return group;
  }

  #release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    if (held.length > 0) this.send(Buffer.concat(held));
  }

  #tellProgress(): void {
    if (this.#held === undefined) this.send(this.#bookmark(this.#core.cache.revision));
  }

  #bookmark(revision: Revision, annotations?: Record<string, string>): Buffer {
    const metadata = { resourceVersion: String(revision), ...(annotations && { annotations }) };
    return frame("BOOKMARK", this.#wish.view.bookmark(metadata));
  }

  #fail(error: StatusError): void {
    this.#end();
    this.#response.end(frame("ERROR", Buffer.from(JSON.stringify(error.toStatus()))));
  }

  async #write(bytes: Buffer): Promise<void> {
    if (!this.#response.write(bytes)) await drained(this.#response);
  }
}

/** Spread out, so that clients that came together do not come back together. */
function defaultTimeout(): number {
  return 1800 + Math.floor(Math.random() * 1800);
}
