import type { Informer, KeySource } from "../../api/client/informer.ts";
import { type ApiObject, keyOf } from "../../api/client/objects.ts";

/**
 * A source of changes under one key, but only those in which `facts` differ: nodes report every few seconds,
 * and most services are no load balancers.
 */
export function relevantChanges<T extends ApiObject>(
  informer: Informer<T>,
  facts: (object: T) => unknown,
  key: string,
): KeySource {
  return {
    synced: informer.synced,
    subscribe(add) {
      const known = new Map<string, string | undefined>();
      return informer.subscribe((changed) => {
        const object = informer.get(changed);
        const now = object === undefined ? undefined : JSON.stringify(facts(object));
        if (known.get(changed) === now) return;
        if (now === undefined) known.delete(changed);
        else known.set(changed, now);
        add(key);
      });
    },
  };
}

/** The facts of objects that are relevant as a whole, or not at all. */
export function versionIf<T extends ApiObject>(counts: (object: T) => boolean) {
  return (object: T): string | undefined =>
    counts(object) ? `${keyOf(object)} ${object.metadata.resourceVersion}` : undefined;
}
