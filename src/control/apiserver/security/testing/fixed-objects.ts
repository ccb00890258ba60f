import type { ObjectReader, SecurityObject } from "../objects.ts";

/** A reader over objects that never change, for tests. */
export function fixedObjects(
  objects: Readonly<Record<string, readonly SecurityObject[]>>,
): ObjectReader {
  return {
    get: (resource, namespace, name) =>
      objects[resource]?.find(
        ({ metadata }) => metadata?.name === name && (metadata.namespace ?? "") === namespace,
      ),
    list: (resource) => objects[resource] ?? [],
    version: () => 1,
    current: async () => undefined,
  };
}
