// Follows the objects of a kind until stopped: a list, then a watch from its version, then further watches
// from where the last one got to, whatever happens to the server in between.

import { type Clock, pause } from "../../../base/host/clock.ts";
import type { Random } from "../../../base/host/random.ts";
import type { Log } from "../../../base/program/log.ts";
import { type BackOff, delayAfter } from "../back-off.ts";
import {
  ApiError,
  isForbidden,
  isGone,
  isNotFound,
  isTimeout,
  isTooManyRequests,
  isUnauthorized,
  isUnavailable,
} from "../errors.ts";
import type { ApiObject } from "../objects.ts";
import type { Selection } from "../options.ts";
import type { ResourceClient } from "../resource-client.ts";
import { deadline } from "../transport/deadline.ts";
import type { WatchEvent } from "../watch.ts";

export interface Follower<T> {
  /** Begins a relist: all objects are delivered anew. */
  begin(): void;
  put(object: T): void;
  remove(object: T): void;
  /** Ends a relist, as of this version: objects that were not put since `begin` are gone. */
  finish(version: string): void;
  /** Called when another watch has begun. */
  watching(): void;
}

export interface FollowOptions {
  readonly selection: Selection;
  /** Whether the watch itself delivers the existing objects, where the server supports that. */
  readonly stream: boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Called with the error of every failed try, and without one when a watch has begun. */
  readonly onTry?: ((failure?: unknown) => void) | undefined;
}

const backOff: BackOff = { initialMs: 200, maximumMs: 10_000 };
/** The shortest watch; one that ends sooner, without events, counts as a failure. */
const shortestWatchMs = 5_000;
/** The time after which a watch that the server should have ended is given up. */
const graceMs = 30_000;
/** The time to wait for the end of initial events, which a server without support never sends. */
const initialPatienceMs = 30_000;

/** The number of watches that end before everything is delivered, after which streaming is given up. */
const mostShortWatches = 3;

export class Follow<T extends ApiObject> {
  readonly #resource: ResourceClient<T>;
  readonly #follower: Follower<T>;
  readonly #options: FollowOptions;
  /** The version from which the next watch continues; without it everything is listed anew. */
  #version: string | undefined;
  #stream: boolean;
  /** Whether to list without pages, after pages have expired during a list. */
  #inOnePiece = false;
  #failures = 0;
  #askedToWaitMs = 0;
  #isTroubled = false;

  constructor(resource: ResourceClient<T>, follower: Follower<T>, options: FollowOptions) {
    this.#resource = resource;
    this.#follower = follower;
    this.#options = options;
    this.#stream = options.stream;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    while (!signal.aborted) {
      try {
        if (this.#version === undefined && !this.#stream) await this.#list(signal);
        await this.#watch(signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#take(error);
      }
      if (this.#failures === 0) continue;
      const wait = Math.max(this.#askedToWaitMs, delayAfter(this.#failures, backOff, random));
      await pause(clock, wait, signal);
    }
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { selection } = this.#options;
    let version = "";
    this.#follower.begin();
    const limit = this.#inOnePiece ? { limit: 0 } : {};
    for await (const page of this.#resource.pages({ ...selection, ...limit, signal })) {
      for (const object of page.items) this.#follower.put(object);
      version = page.resourceVersion;
    }
    this.#follower.finish(version);
    this.#version = version;
    this.#inOnePiece = false;
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { clock, random, selection } = this.#options;
    const started = clock.monotonic();
    const timeoutSeconds = Math.ceil(300 * (1 + random.fraction()));
    const timeoutMs = timeoutSeconds * 1000 + graceMs;
    using limit = deadline(signal, { clock, timeoutMs, late: () => new Error(overdue) });
    let isInitial = this.#version === undefined;
    using patience = deadline(limit.signal, {
      clock,
      timeoutMs: isInitial ? initialPatienceMs : Number.POSITIVE_INFINITY,
      late: () => new NoInitialEventsError(),
    });
    const events = await this.#resource.watch({
      ...selection,
      ...(this.#version === undefined
        ? { initialEvents: true }
        : { resourceVersion: this.#version }),
      bookmarks: true,
      timeoutSeconds,
      retries: 0,
      signal: patience.signal,
    });
    this.#established();
    if (isInitial) this.#follower.begin();
    for await (const event of events) {
      const version = this.#apply(event);
      if (event.type === "BOOKMARK" && event.endsInitialEvents && isInitial) {
        this.#follower.finish(version);
        isInitial = false;
        patience.lift();
      }
      // Until all initial events are delivered, versions come in no order.
      if (isInitial) continue;
      this.#version = version;
      this.#failures = 0;
    }
    const isShort = clock.monotonic() - started < shortestWatchMs;
    this.#failures = isShort ? this.#failures + 1 : 0;
    if (isInitial && isShort && this.#failures >= mostShortWatches)
      throw new NoInitialEventsError();
  }

  #apply(event: WatchEvent<T>): string {
    if (event.type === "BOOKMARK") return event.resourceVersion;
    if (event.type === "DELETED") this.#follower.remove(event.object);
    else this.#follower.put(event.object);
    return event.object.metadata.resourceVersion ?? "";
  }

  #established(): void {
    this.#follower.watching();
    this.#options.onTry?.();
    if (this.#isTroubled) this.#options.log.info("Following again");
    this.#isTroubled = false;
  }

  #take(error: unknown): void {
    const { log } = this.#options;
    const isReadingAll = this.#version === undefined;
    if (isReadingAll && this.#stream && isWithoutInitialEvents(error)) {
      this.#stream = false;
      log.debug("The server tells no initial events; listing instead", { error });
      return;
    }
    this.#failures += 1;
    this.#askedToWaitMs = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
    if (isGone(error) || isTooNew(error)) {
      this.#inOnePiece = isReadingAll;
      this.#version = undefined;
      log.info("History is gone; reading everything anew", { error });
      return;
    }
    this.#options.onTry?.(error);
    if (!this.#isTroubled) log.warn("Cannot follow; trying again", { error });
    this.#isTroubled = true;
  }
}

const overdue = "Cannot go on with a watch: the server should have ended it long ago";

class NoInitialEventsError extends Error {
  override readonly name = "NoInitialEventsError";
  override readonly message = "Cannot read everything: the server does not say that it was all";
}

/**
 * Whether a server lacks streaming lists. Such servers answer in many ways: old ones refuse the parameters,
 * some end the watch with an internal error because of their store. Only errors that tell that no watch at
 * all is possible at present, or not for us, do not count.
 */
function isWithoutInitialEvents(error: unknown): boolean {
  if (error instanceof NoInitialEventsError) return true;
  if (!(error instanceof ApiError) || error.code < 400) return false;
  return !unrelated.some((is) => is(error));
}

const unrelated: readonly ((error: unknown) => boolean)[] = [
  isUnauthorized,
  isForbidden,
  isNotFound,
  isTooManyRequests,
  isUnavailable,
  isTimeout,
  isGone,
];

/** Whether our version is one that the server has yet to reach: its store was restored, or replaced. */
function isTooNew(error: unknown): boolean {
  if (!isTimeout(error)) return false;
  const causes = error.details?.causes ?? [];
  return causes.some(({ reason }) => reason === "ResourceVersionTooLarge");
}
