// Follows the objects of a kind and passes them on to a store of the caller's, without a cache of its own:
// for tens of thousands of objects that would matter.

import type { Clock } from "../../../base/host/clock.ts";
import type { Random } from "../../../base/host/random.ts";
import type { Log } from "../../../base/program/log.ts";
import type { Part } from "../../../base/program/run-all.ts";
import { type ApiObject, keyOf } from "../objects.ts";
import type { Selection } from "../options.ts";
import type { ResourceClient } from "../resource-client.ts";
import { Follow, type Follower } from "./follow.ts";

export interface CollectionParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

interface Options<T> extends CollectionParts {
  readonly selection?: Selection;
  /** Slims an object to what is kept; its metadata must keep its name and version. */
  readonly slim: (object: T) => T;
  readonly put: (object: T, before: T | undefined) => void;
  readonly remove: (object: T) => void;
  /** Called when all that has been put or removed so far is one consistent state, of this revision. */
  readonly reached: (revision: string) => void;
}

export class Collection<T extends ApiObject> implements Part {
  readonly name: string;
  readonly #resource: ResourceClient<T>;
  readonly #options: Options<T>;
  readonly #objects = new Map<string, T>();
  readonly #synced = Promise.withResolvers<void>();

  constructor(resource: ResourceClient<T>, options: Options<T>) {
    this.name = resource.definition.plural;
    this.#resource = resource;
    this.#options = options;
  }

  /** Resolves when all objects that existed at the start have been put. */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { selection = {}, clock, random, log } = this.#options;
    const follow = new Follow(this.#resource, this.#follower(), {
      selection,
      stream: false,
      clock,
      random,
      log: log.child({ resource: this.name }),
    });
    await follow.run(signal);
  }

  #follower(): Follower<T> {
    const { put, remove, slim, reached } = this.#options;
    /** The keys seen during a relist; versions come in no order then. */
    let seen: Set<string> | undefined;
    const note = ({ metadata: { resourceVersion } }: T): void => {
      if (seen === undefined && resourceVersion !== undefined) reached(resourceVersion);
    };
    return {
      begin: () => {
        seen = new Set();
      },
      put: (object) => {
        const key = keyOf(object);
        seen?.add(key);
        const before = this.#objects.get(key);
        if (before === undefined || !isSameVersion(before, object)) {
          const kept = slim(object);
          this.#objects.set(key, kept);
          put(kept, before);
        }
        note(object);
      },
      remove: (object) => {
        const key = keyOf(object);
        seen?.delete(key);
        const before = this.#objects.get(key);
        if (this.#objects.delete(key) && before !== undefined) remove(before);
        note(object);
      },
      finish: (version) => {
        for (const [key, object] of this.#objects) {
          if (seen?.has(key) !== false) continue;
          this.#objects.delete(key);
          remove(object);
        }
        seen = undefined;
        reached(version);
        this.#synced.resolve();
      },
      watching: () => undefined,
    };
  }
}

function isSameVersion(one: ApiObject, other: ApiObject): boolean {
  return one.metadata.resourceVersion === other.metadata.resourceVersion;
}
