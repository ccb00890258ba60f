// Read access to cached objects for other parts of the server. The objects must not be changed.
import type { ApiObject } from "../../api/kinds/kind.ts";
import { resources } from "../../api/schema/resources.ts";
import type { Cache } from "./cache/cache.ts";
import type { Collection } from "./cache/collection.ts";
import type { Item } from "./cache/item.ts";
import { collectionId } from "./keys.ts";

export interface ObjectReader {
  get(resource: string, namespace: string, name: string): ApiObject | undefined;
  /** Lists the objects of one namespace, or of all. */
  list(resource: string, namespace?: string): Iterable<ApiObject>;
  /** Returns a number that grows with every change of the resource. */
  version(resource: string): number;
  /** Resolves when everything stored by now is visible. */
  current(): Promise<void>;
}

/** Makes a reader. Built-in resources are named by their plural, which is unique; others by collection. */
export function objectReader(cache: Cache): ObjectReader {
  const parsed = new WeakMap<Item, ApiObject>();
  const read = (item: Item): ApiObject => {
    let object = parsed.get(item);
    if (object === undefined) {
      object = item.parse();
      parsed.set(item, object);
    }
    return object;
  };
  const collection = (resource: string): Collection => {
    if (resource.includes("/")) return cache.collection(resource);
    const found = resources.find(({ plural }) => plural === resource);
    if (found === undefined) throw new Error(`Cannot read ${resource}: there is no such resource`);
    return cache.collection(collectionId(found.group, found.plural));
  };
  return {
    get(resource, namespace, name) {
      const item = collection(resource).get(namespace, name);
      return item && read(item);
    },
    list: (resource, namespace) => collection(resource).list(namespace).map(read),
    version: (resource) => collection(resource).version,
    current: () => cache.current(),
  };
}
