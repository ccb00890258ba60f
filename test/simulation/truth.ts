// What is stored, seen from outside of the cluster, and the invariants that hold for it at every step.

import { parseKey } from "../../src/control/apiserver/keys.ts";
import { Violation } from "./simulation.ts";

export interface Stored {
  readonly metadata: {
    readonly name: string;
    readonly labels?: Record<string, string>;
    readonly deletionTimestamp?: string;
  };
  readonly spec?: Record<string, unknown>;
  readonly status?: Record<string, unknown>;
  readonly data?: Record<string, string>;
  readonly [field: string]: unknown;
}

interface Known {
  readonly object: Stored;
  readonly modified: number;
}

export class Truth {
  readonly #collections = new Map<string, Map<string, Known>>();
  /** The address of a service or pod → its owner. */
  readonly #owners = new Map<string, string>();

  /** Forgets everything, before it is read anew. */
  clear(): void {
    this.#collections.clear();
    this.#owners.clear();
  }

  put(key: string, value: Uint8Array, modified: number): void {
    const place = parseKey(key);
    if (place === undefined) return;
    const object = JSON.parse(Buffer.from(value).toString()) as Stored;
    this.delete(key);
    this.#collection(place.collection).set(idOf(place), { object, modified });
    const owner = `${place.collection} ${idOf(place)}`;
    for (const address of addressesOf(place.collection, object)) {
      const other = this.#owners.get(address);
      if (other !== undefined) throw new Violation(`${address} is both ${other}'s and ${owner}'s`);
      this.#owners.set(address, owner);
    }
  }

  delete(key: string): void {
    const place = parseKey(key);
    if (place === undefined) return;
    const known = this.#collection(place.collection).get(idOf(place));
    if (known === undefined) return;
    this.#collection(place.collection).delete(idOf(place));
    for (const address of addressesOf(place.collection, known.object)) this.#owners.delete(address);
  }

  get(collection: string, id: string): Known | undefined {
    return this.#collection(collection).get(id);
  }

  list(collection: string): Map<string, Known> {
    return this.#collection(collection);
  }

  #collection(id: string): Map<string, Known> {
    const collection = this.#collections.get(id) ?? new Map<string, Known>();
    this.#collections.set(id, collection);
    return collection;
  }
}

function idOf({ namespace, name }: { namespace: string; name: string }): string {
  return namespace === "" ? name : `${namespace}/${name}`;
}

/** The addresses that no other object may have. */
function addressesOf(collection: string, { spec, status }: Stored): readonly string[] {
  if (collection === "core/services") return (spec?.["clusterIPs"] as string[] | undefined) ?? [];
  if (collection !== "core/pods") return [];
  return ((status?.["podIPs"] as { ip: string }[] | undefined) ?? []).map(({ ip }) => ip);
}
