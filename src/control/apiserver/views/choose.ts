// Chooses the view that a request asked for.

import { encodeItem, encodeProtobuf } from "../../../api/protobuf/envelope.ts";
import { readJson } from "../../../base/json/read-json.ts";
import type { JsonObject } from "../../../base/json/value.ts";
import type { Item } from "../cache/item.ts";
import type { Core } from "../core.ts";
import { badRequest } from "../errors.ts";
import type { Form } from "../http/negotiate.ts";
import type { ServedResource } from "../resources/served.ts";
import { objectView } from "./object-view.ts";
import { type IncludeObject, tableView } from "./table-view.ts";
import type { View } from "./view.ts";

const views = new WeakMap<ServedResource, Map<string, View>>();

export function chooseView(
  core: Core,
  resource: ServedResource,
  wish: { form: Form; query: URLSearchParams },
): View {
  const { form, query } = wish;
  const includeObject = form.shape === "table" ? includeOf(query) : "None";
  const id = `${form.media} ${form.shape} ${form.version} ${includeObject}`;
  const made = views.get(resource) ?? new Map<string, View>();
  const view =
    made.get(id) ?? preparing(core, resource, makeView(core, resource, { form, includeObject }));
  made.set(id, view);
  views.set(resource, made);
  return view;
}

/** Returns a view that waits for the conversion of its items, where a webhook does it. */
function preparing(core: Core, { conversion }: ServedResource, view: View): View {
  const { post } = core.webhooks;
  if (conversion?.prepare === undefined) return view;
  return { ...view, prepare: (items) => conversion.prepare?.(post, items) };
}

function makeView(
  core: Core,
  resource: ServedResource,
  { form, includeObject }: { form: Form; includeObject: IncludeObject },
): View {
  const { shape, version } = form;
  if (form.media === "protobuf") {
    return protobufView(
      makeView(core, resource, { form: { ...form, media: "json" }, includeObject }),
    );
  }
  if (shape === "metadata") return metadataView(version);
  if (shape === "table") {
    return tableView(resource, { version, includeObject, now: core.settings.now });
  }
  return objectView(resource);
}

function includeOf(query: URLSearchParams): IncludeObject {
  const text = query.get("includeObject") ?? "";
  if (text === "") return "Metadata";
  if (text === "None" || text === "Metadata" || text === "Object") return text;
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(text)}`,
  );
}

/** The view of objects as their metadata only. */
function metadataView(version: "v1" | "v1beta1"): View {
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

/** The protobuf form of another view: single objects in their envelope, entries of lists without. */
function protobufView(view: View): View {
  const parse = (json: Buffer) => readJson(json.toString()) as JsonObject;
  const encode = (json: Buffer) => encodeProtobuf(parse(json), { drop: true });
  return {
    ...view,
    id: `protobuf/${view.id}`,
    media: "protobuf",
    json: view,
    single: (item) => encode(view.single(item)),
    entry: (item) => Buffer.from(encodeItem(parse(view.entry(item)))),
    bookmark: (metadata) => encode(view.bookmark(metadata)),
  };
}
