// Objects of a kind, read from a cache and written through to the API. Writes are remembered until the cache
// has them too: a controller that decides on a cache behind its own writes would create things twice. Every
// write holds only if nobody else has written since.

import {
  ApiError,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isNotFound,
} from "../../api/client/errors.ts";
import type { Index, Informer } from "../../api/client/informer.ts";
import { type ApiObject, type Draft, keyOf, type Place } from "../../api/client/objects.ts";
import type { CallOptions, DeleteOptions } from "../../api/client/options.ts";
import type { ResourceClient } from "../../api/client/resource-client.ts";
import { defined } from "../../base/json/defined.ts";

interface Written<T> {
  readonly version: number;
  /** The written object; `undefined` if it was deleted. */
  readonly object: T | undefined;
}

export class WriteThrough<T extends ApiObject> {
  readonly #resource: ResourceClient<T>;
  readonly #informer: Informer<T>;
  readonly #written = new Map<string, Written<T>>();

  constructor(resource: ResourceClient<T>, informer: Informer<T>) {
    this.#resource = resource;
    this.#informer = informer;
    informer.subscribe((key) => {
      const cached = informer.get(key);
      if (cached === undefined || this.#isCaughtUp(key, cached)) this.#written.delete(key);
    });
  }

  /** Returns the newest known state of an object. */
  get(key: string): T | undefined {
    const written = this.#written.get(key);
    return written === undefined ? this.#informer.get(key) : written.object;
  }

  by(index: Index<T>, value: string): T[] {
    const found = this.#informer.by(index, value).filter((each) => !this.#written.has(keyOf(each)));
    for (const { object } of this.#written.values()) {
      if (object !== undefined && index(object).includes(value)) found.push(object);
    }
    return found;
  }

  /** Creates an object; a refusal because its namespace is being deleted is ignored. */
  async create(object: Draft<T>, call: CallOptions): Promise<void> {
    const key = keyOf(object);
    try {
      this.#record(await this.#resource.create(object, call));
    } catch (error) {
      if (!isNamespaceEnding(error)) throw this.#outdated(key, error);
    }
  }

  async update(object: T, call: CallOptions): Promise<void> {
    try {
      this.#record(await this.#resource.update(object, call));
    } catch (error) {
      throw this.#outdated(keyOf(object), error);
    }
  }

  async updateStatus(object: T, call: CallOptions): Promise<void> {
    try {
      this.#record(await this.#resource.updateStatus(object, call));
    } catch (error) {
      throw this.#outdated(keyOf(object), error);
    }
  }

  async delete(object: T, options: DeleteOptions): Promise<void> {
    const { uid, resourceVersion } = object.metadata;
    const preconditions = defined({ uid, resourceVersion });
    try {
      await this.#resource.delete(placeOf(object), { ...options, preconditions });
      this.#remember(keyOf(object), { version: versionOf(object), object: undefined });
    } catch (error) {
      this.#written.delete(keyOf(object));
      if (!isNotFound(error)) throw error;
    }
  }

  #record(object: T): void {
    this.#remember(keyOf(object), { version: versionOf(object), object });
  }

  #remember(key: string, written: Written<T>): void {
    this.#written.set(key, written);
    // The watch may have been quicker than the response.
    const cached = this.#informer.get(key);
    const isGone = cached === undefined && written.object === undefined;
    if (isGone || (cached !== undefined && this.#isCaughtUp(key, cached))) {
      this.#written.delete(key);
    }
  }

  #isCaughtUp(key: string, cached: T): boolean {
    const written = this.#written.get(key);
    if (written === undefined) return true;
    const version = versionOf(cached);
    return written.object === undefined ? version > written.version : version >= written.version;
  }

  /**
   * Forgets a refused write, since the cache knows better then. AlreadyExists and NotFound become Conflict,
   * so that the controller looks again.
   */
  #outdated(key: string, error: unknown): unknown {
    this.#written.delete(key);
    if (isConflict(error) || !(isAlreadyExists(error) || isNotFound(error))) return error;
    return new ApiError(error.message, { reason: "Conflict", code: error.code, cause: error });
  }
}

function versionOf({ metadata }: ApiObject): number {
  return Number(metadata.resourceVersion ?? 0);
}

function placeOf<T extends ApiObject>({ metadata }: T): Place<T> {
  const { namespace, name } = metadata;
  return { namespace, name } as Place<ApiObject> as Place<T>;
}

function isNamespaceEnding(error: unknown): boolean {
  if (!isForbidden(error)) return false;
  return (error.details?.causes ?? []).some(({ reason }) => reason === "NamespaceTerminating");
}
