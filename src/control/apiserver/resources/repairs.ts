// The repairs of objects that another version of the server wrote, by collection.
import type { Repair } from "../cache/item.ts";
import type { ServedResource } from "./served.ts";

export function repairs(
  resources: readonly ServedResource[],
): (collection: string) => Repair | undefined {
  const known = new Map<string, Repair>();
  for (const { collection, rules } of resources) {
    if (rules.default === undefined && rules.upgrade === undefined) continue;
    known.set(collection, (object) => {
      rules.upgrade?.(object);
      rules.default?.(object);
    });
  }
  return (collection) => known.get(collection);
}
