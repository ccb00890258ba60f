import type { ApiObject } from "../../../api/kinds/kind.ts";
import { readJson } from "../../../base/json/read-json.ts";
import type { Item } from "../cache/item.ts";
import type { ServedResource } from "../resources/served.ts";
import type { View } from "./view.ts";

/** The view of objects as they are. */
export function objectView(resource: ServedResource): View {
  const { apiVersion, kind, listKind, edition } = resource;
  const single = inVersion(resource);
  return {
    id: `object/${apiVersion}/${edition}`,
    media: "json",
    single,
    entry: single,
    open: (metadata) =>
      `{"kind":${JSON.stringify(listKind)},"apiVersion":${JSON.stringify(apiVersion)},"metadata":${JSON.stringify(metadata)},"items":[`,
    close: "]}",
    bookmark: (metadata) =>
      Buffer.from(
        JSON.stringify({ kind, apiVersion, metadata: { ...metadata, creationTimestamp: null } }),
      ),
  };
}

/** Parses an object in the served version. */
export function parseInVersion(resource: ServedResource, item: Item): ApiObject {
  const known = resource.conversion?.served?.get(item);
  if (known !== undefined) return readJson(known.toString()) as ApiObject;
  const object = item.parse();
  return resource.conversion === undefined ? object : resource.conversion.fromStored(object);
}

function inVersion(resource: ServedResource): (item: Item) => Buffer {
  const { conversion } = resource;
  if (conversion === undefined) return (item) => item.bytes;
  const { served } = conversion;
  return (item) => {
    const known = served?.get(item);
    if (known !== undefined) return known;
    const bytes = Buffer.from(JSON.stringify(parseInVersion(resource, item)));
    served?.set(item, bytes);
    return bytes;
  };
}
