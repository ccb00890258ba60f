// Chooses the view that a request asked for.
import type { Core } from "../core.ts";
import { badRequest } from "../errors.ts";
import type { Form } from "../http/negotiate.ts";
import type { ServedResource } from "../resources/served.ts";
import { metadataView } from "./metadata-view.ts";
import { objectView } from "./object-view.ts";
import { protobufView } from "./protobuf-view.ts";
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
  const view = made.get(id) ?? makeView(core, resource, { form, includeObject });
  made.set(id, view);
  views.set(resource, made);
  return view;
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
