// Follows the objects of a kind for as long as it is wanted: a list, then a watch from there, and on
// from where the last watch got to, whatever happens to the server in between.

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
  /** Everything is told anew. */
  begin(): void;
  put(object: T): void;
  remove(object: T): void;
  /** That was everything as of this version: what was not put since `begin` is gone. */
  finish(version: string): void;
  /** Another watch was begun. */
  watching(): void;
}

export interface FollowOptions {
  readonly selection: Selection;
  /** Let the watch itself tell what is there, where the server can do that. */
  readonly stream: boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

const backOff: BackOff = { initialMs: 200, maximumMs: 10_000 };
/** A watch that ends sooner, without news, is a failure. */
const shortestWatchMs = 5_000;
/** How long a server may take to end a watch it should have ended. */
const graceMs = 30_000;
/** A server that does not know of initial events never says that they end. */
const initialPatienceMs = 30_000;

/** A server that ends watches at once, before it has told everything, does not do so by chance. */
const mostShortWatches = 3;

export class Follow<T extends ApiObject> {
  readonly #resource: ResourceClient<T>;
  readonly #follower: Follower<T>;
  readonly #options: FollowOptions;
  /** Where the next watch goes on; without it everything is read anew. */
  #version: string | undefined;
  #stream: boolean;
  /** After pages of a list have expired under us. */
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
      // Until everything has been told, versions come in no order.
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
 * Servers without streaming lists answer in many ways: old ones refuse the parameters, some let the watch
 * end with an internal error because of their store. Only what says that no watch at all is possible at
 * present, or not for us, is no such answer.
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

/** Our version is one that the server has yet to reach: its store was put back, or is another. */
function isTooNew(error: unknown): boolean {
  if (!isTimeout(error)) return false;
  const causes = error.details?.causes ?? [];
  return causes.some(({ reason }) => reason === "ResourceVersionTooLarge");
}
