// The responses of the fake API.

import { defined } from "../../../base/json/defined.ts";
import type { JsonObject } from "../../../base/json/value.ts";
import { withoutNulls } from "../../patch/directives.ts";
import { applyJsonPatch } from "../../patch/json-patch.ts";
import { applyMergePatch } from "../../patch/merge-patch.ts";
import { applyStrategicMergePatch } from "../../patch/strategic.ts";
import { schemaOf } from "../../schema/registry.ts";
import { type ApiError, refused } from "../errors.ts";
import type { ApiObject } from "../objects.ts";
import { type ApiRequest, actionOf } from "../transport/message.ts";
import type { ObjectStore } from "./store.ts";
import { isSelected, keyIn, type Target } from "./target.ts";

export function answer(store: ObjectStore, request: ApiRequest, target: Target): unknown {
  const ask: Question = { store, request, target, body: bodyOf(request) };
  if (request.method === "GET") return target.name === undefined ? list(ask) : existing(ask);
  if (request.method === "PUT") return update(ask);
  if (request.method === "PATCH") return patch(ask);
  if (request.method === "DELETE") return remove(ask);
  return target.subresource === undefined ? create(ask) : ask.body;
}

export function refusal(
  request: ApiRequest,
  code: number,
  reason: string,
  message: string,
): ApiError {
  const status = { kind: "Status", status: "Failure", code, reason, message };
  return refused(actionOf(request), { code, body: JSON.stringify(status) });
}

interface Question {
  readonly store: ObjectStore;
  readonly request: ApiRequest;
  readonly target: Target;
  readonly body: ApiObject & JsonObject;
}

function bodyOf({ body }: ApiRequest): ApiObject & JsonObject {
  return JSON.parse(body === undefined ? "{}" : Buffer.from(body).toString()) as ApiObject &
    JsonObject;
}

function existing({ store, request, target }: Question): ApiObject {
  const found = store.get(target.collection, keyIn(target));
  if (found !== undefined) return found;
  const resource = target.collection.slice(target.collection.lastIndexOf("/") + 1);
  throw refusal(request, 404, "NotFound", `${resource} "${target.name}" not found`);
}

/** Lists objects; a continue token has the version of the first page and the number of objects delivered. */
function list({ store, request, target }: Question): object {
  const { query, collection } = target;
  const limit = Number(query.get("limit") ?? 0);
  const [version = store.version, start = 0] =
    (query.get("continue") || undefined)?.split(":").map(Number) ?? [];
  const isStale = version !== store.version;
  if (isStale && store.since(version) === undefined) {
    throw refusal(request, 410, "Expired", "the continue parameter is too old");
  }
  const selected = store.listAt(collection, version).filter((object) => isSelected(object, target));
  const end = limit === 0 ? selected.length : start + limit;
  const more = end < selected.length ? { continue: `${version}:${end}` } : {};
  return {
    metadata: { resourceVersion: String(version), ...more },
    items: selected.slice(start, end),
  };
}

function create({ store, request, target, body }: Question): ApiObject {
  const { collection, namespace } = target;
  const { generateName } = body.metadata;
  const name = body.metadata.name ?? `${generateName}${store.version.toString(36)}`;
  if (store.get(collection, keyIn({ ...target, name })) !== undefined) {
    throw refusal(request, 409, "AlreadyExists", `"${name}" already exists`);
  }
  const metadata = { ...body.metadata, name, ...defined({ namespace }) };
  return store.create(collection, { ...body, metadata });
}

function update(ask: Question): ApiObject {
  const { store, request, target, body } = ask;
  const before = existing(ask);
  const { resourceVersion } = body.metadata;
  if (resourceVersion !== undefined && resourceVersion !== before.metadata.resourceVersion) {
    throw refusal(request, 409, "Conflict", `"${target.name}" has been modified`);
  }
  return store.update(target.collection, before, facet(target, before, body));
}

function patch(ask: Question): unknown {
  const { store, request, target, body } = ask;
  const type = request.headers?.["content-type"] ?? "";
  const isApply = type.startsWith("application/apply-patch");
  if (isApply && store.get(target.collection, keyIn(target)) === undefined) return create(ask);
  const before = existing(ask);
  const schema = type.startsWith("application/strategic") ? schemaOf(kindOf(before)) : undefined;
  const after = type.startsWith("application/json-patch")
    ? applyJsonPatch(before as ApiObject & JsonObject, body)
    : schema === undefined
      ? applyMergePatch(before, body)
      : withoutNulls(applyStrategicMergePatch(schema, before as ApiObject & JsonObject, body));
  return store.update(target.collection, before, facet(target, before, after as ApiObject));
}

function kindOf({ apiVersion, kind }: ApiObject) {
  const [version = "", group = ""] = apiVersion.split("/").toReversed();
  return { group, version, kind };
}

type WithStatus = ApiObject & { status?: unknown };

/** The object after a write through a path, which changes its status only, or all but that. */
function facet({ subresource }: Target, before: ApiObject, after: ApiObject): WithStatus {
  const [outside, inside] = subresource === "status" ? [before, after] : [after, before];
  const { status: _, ...rest }: WithStatus = outside;
  return "status" in inside ? { ...rest, status: inside.status } : rest;
}

function remove(ask: Question): object {
  const { store, target } = ask;
  const { collection, name } = target;
  const objects =
    name === undefined
      ? store.list(collection).filter((object) => isSelected(object, target))
      : [existing(ask)];
  for (const object of objects) {
    const { finalizers = [], deletionTimestamp } = object.metadata;
    if (finalizers.length === 0) store.remove(collection, object);
    else if (deletionTimestamp === undefined) {
      const metadata = { ...object.metadata, deletionTimestamp: new Date().toISOString() };
      store.update(collection, object, { ...object, metadata });
    }
  }
  return { kind: "Status", status: "Success" };
}
