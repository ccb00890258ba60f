import type { Item } from "../cache/item.ts";
import type { View } from "./view.ts";

/** The view of objects as their metadata only. */
export function metadataView(version: "v1" | "v1beta1"): View {
  const apiVersion = `meta.k8s.io/${version}`;
  const kind = "PartialObjectMetadata";
  const head = Buffer.from(`{"kind":"${kind}","apiVersion":"${apiVersion}","metadata":`);
  const end = Buffer.from("}");
  const single = (item: Item) => Buffer.concat([head, item.metadataBytes, end]);
  return {
    id: `metadata/${version}`,
    media: "json",
    single,
    entry: single,
    open: (metadata) =>
      `{"kind":"PartialObjectMetadataList","apiVersion":"${apiVersion}","metadata":${JSON.stringify(metadata)},"items":[`,
    close: "]}",
    bookmark: (metadata) =>
      Buffer.from(
        JSON.stringify({ kind, apiVersion, metadata: { ...metadata, creationTimestamp: null } }),
      ),
  };
}
