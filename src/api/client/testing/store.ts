// The objects of the fake API, with versions and history.

import { randomUUID } from "node:crypto";
import { sameJson } from "../../../base/json/value.ts";
import { type ApiObject, keyOf } from "../objects.ts";

export interface Change {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly collection: string;
  readonly version: number;
  readonly object: ApiObject;
  readonly before: ApiObject | undefined;
}

export class ObjectStore {
  readonly #collections = new Map<string, Map<string, ApiObject>>();
  readonly #onChange: (change: Change) => void;
  #history: Change[] = [];
  #oldest = 0;
  #version = 100;

  constructor(onChange: (change: Change) => void) {
    this.#onChange = onChange;
  }

  get version(): number {
    return this.#version;
  }

  get(collection: string, key: string): ApiObject | undefined {
    return this.#collections.get(collection)?.get(key);
  }

  /** The objects in the order of their keys. */
  list(collection: string): ApiObject[] {
    const entries = [...(this.#collections.get(collection) ?? [])];
    return entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
  }

  /** The objects at a version that has not been compacted. */
  listAt(collection: string, version: number): ApiObject[] {
    const objects = new Map(this.list(collection).map((object) => [keyOf(object), object]));
    const later = this.#history.filter(
      (change) => change.collection === collection && change.version > version,
    );
    for (const { object, before } of later.toReversed()) {
      if (before === undefined) objects.delete(keyOf(object));
      else objects.set(keyOf(before), before);
    }
    return [...objects].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
  }

  /** The changes after a version; undefined when that has been compacted. */
  since(version: number): readonly Change[] | undefined {
    if (version < this.#oldest) return undefined;
    return this.#history.filter((change) => change.version > version);
  }

  /** Forgets the history so far. */
  compact(): void {
    this.#history = [];
    this.#oldest = this.#version;
  }

  create(collection: string, object: ApiObject): ApiObject {
    const created = { uid: randomUUID(), creationTimestamp: new Date().toISOString() };
    const version = ++this.#version;
    return this.#put(
      { type: "ADDED", collection, version, before: undefined },
      {
        ...object,
        metadata: { ...object.metadata, ...created, resourceVersion: String(version) },
      },
    );
  }

  /** Updates an object; an update without a change gets no new version. */
  update(collection: string, before: ApiObject, object: ApiObject): ApiObject {
    const { uid, creationTimestamp, resourceVersion } = before.metadata;
    const kept = { uid, creationTimestamp, resourceVersion } as ApiObject["metadata"];
    const next = { ...object, metadata: { ...object.metadata, ...kept } };
    if (sameJson(before, next)) return before;
    const { deletionTimestamp, finalizers = [] } = next.metadata;
    if (deletionTimestamp !== undefined && finalizers.length === 0) {
      return this.remove(collection, next);
    }
    const version = ++this.#version;
    next.metadata.resourceVersion = String(version);
    return this.#put({ type: "MODIFIED", collection, version, before }, next);
  }

  remove(collection: string, object: ApiObject): ApiObject {
    const version = ++this.#version;
    const metadata = { ...object.metadata, resourceVersion: String(version) };
    const before = this.get(collection, keyOf(object));
    this.#collections.get(collection)?.delete(keyOf(object));
    return this.#record({
      type: "DELETED",
      collection,
      version,
      before,
      object: { ...object, metadata },
    });
  }

  #put(change: Omit<Change, "object">, object: ApiObject): ApiObject {
    const collection = this.#collections.get(change.collection) ?? new Map<string, ApiObject>();
    this.#collections.set(change.collection, collection);
    collection.set(keyOf(object), object);
    return this.#record({ ...change, object });
  }

  #record(change: Change): ApiObject {
    this.#history.push(change);
    this.#onChange(change);
    return change.object;
  }
}
