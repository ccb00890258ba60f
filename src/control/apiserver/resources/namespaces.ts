// Admits objects only to namespaces that exist and are not being deleted.
import type { Compare } from "../../store/store.ts";
import type { Item } from "../cache/item.ts";
import type { Core } from "../core.ts";
import { forbidden, type GroupName, notFound } from "../errors.ts";
import { collectionId, objectKey } from "../keys.ts";

const namespaces = collectionId("", "namespaces");

/** The namespaces that are being deleted, by item, so that each state is parsed once. */
const terminating = new WeakMap<Item, boolean>();

/** Throws unless objects may be created in the namespace; the answer holds while the comparison does. */
export function admitToNamespace(
  core: Core,
  resource: GroupName,
  { namespace, name }: { namespace: string; name: string },
): Compare {
  const item = core.cache.collection(namespaces).get("", namespace);
  if (item === undefined) throw notFound({ group: "", name: "namespaces" }, namespace);
  if (isTerminating(item)) {
    const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
    throw forbidden(resource, name, why, [
      {
        reason: "NamespaceTerminating",
        message: `namespace ${namespace} is being terminated`,
        field: "metadata.namespace",
      },
    ]);
  }
  return { key: objectKey(namespaces, "", namespace), modified: item.modified };
}

function isTerminating(item: Item): boolean {
  let known = terminating.get(item);
  if (known === undefined) {
    known = item.parse().metadata?.deletionTimestamp !== undefined;
    terminating.set(item, known);
  }
  return known;
}
