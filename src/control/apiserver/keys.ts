// Keys of objects in the store: `/registry/<group>/<resource>/<namespace>/<name>`, without the namespace for
// cluster-scoped resources. The core group, whose name is empty, is spelled `core`.

export const registry = "/registry/";

/** Returns the id of a collection, `<group>/<resource>`. */
export function collectionId(group: string, resource: string): string {
  return `${group === "" ? "core" : group}/${resource}`;
}

export function objectKey(collection: string, namespace: string, name: string): string {
  return namespace === ""
    ? `${registry}${collection}/${name}`
    : `${registry}${collection}/${namespace}/${name}`;
}

export interface KeyParts {
  readonly collection: string;
  readonly namespace: string;
  readonly name: string;
}

/** Parses a key; `undefined` for keys that hold no object. */
export function parseKey(key: string): KeyParts | undefined {
  if (!key.startsWith(registry)) return undefined;
  const group = key.indexOf("/", registry.length);
  const resource = group < 0 ? -1 : key.indexOf("/", group + 1);
  if (resource < 0) return undefined;
  const collection = key.slice(registry.length, resource);
  const namespace = key.indexOf("/", resource + 1);
  if (namespace < 0) return { collection, namespace: "", name: key.slice(resource + 1) };
  return {
    collection,
    namespace: key.slice(resource + 1, namespace),
    name: key.slice(namespace + 1),
  };
}
