// The metadata that the server itself decides.
import { randomUUID } from "node:crypto";
import { timestamp } from "../../../api/fields/timestamp.ts";
import type { ApiObject } from "../../../api/kinds/kind.ts";
import type { ObjectMeta } from "../../../api/types/meta.ts";
import { sameJson } from "../../../base/json/value.ts";
import { badRequest, modified } from "../errors.ts";
import type { ServedResource } from "../resources/served.ts";

/** Sets the metadata of a new object. */
export function beginLife(
  object: ApiObject,
  resource: Pick<ServedResource, "hasGeneration">,
  at: { namespace: string; now: Date },
): ObjectMeta {
  const metadata = (object.metadata ??= {});
  if (metadata.resourceVersion !== undefined && metadata.resourceVersion !== "") {
    throw badRequest("resourceVersion should not be set on objects to be created");
  }
  placeIn(metadata, at.namespace);
  dropEmpty(metadata);
  delete metadata.resourceVersion;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
  metadata.uid = randomUUID();
  metadata.creationTimestamp = timestamp(at.now);
  if (resource.hasGeneration) metadata.generation = 1;
  else delete metadata.generation;
  return metadata;
}

/** Restores metadata that a writer may not change, and counts up the generation. */
export function continueLife(object: ApiObject, old: ApiObject, resource: ServedResource): void {
  const metadata = (object.metadata ??= {});
  const before = old.metadata ?? {};
  for (const field of kept) {
    const value = before[field];
    if (value === undefined) delete metadata[field];
    else Object.assign(metadata, { [field]: value });
  }
  delete metadata.selfLink;
  dropEmpty(metadata);
  if (resource.hasGeneration && !sameJson(desired(object, resource), desired(old, resource))) {
    metadata.generation = (before.generation ?? 0) + 1;
  }
}

const kept = [
  "uid",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "generateName",
  "generation",
] as const satisfies readonly (keyof ObjectMeta)[];

/** Removes empty maps and lists. */
function dropEmpty(metadata: ObjectMeta): void {
  for (const field of ["labels", "annotations", "finalizers", "ownerReferences"] as const) {
    const value = metadata[field];
    if (value !== undefined && Object.keys(value).length === 0) delete metadata[field];
  }
}

/** Sets the namespace of the request's path; the object must not name another. */
export function placeIn(metadata: ObjectMeta, namespace: string): void {
  const given = metadata.namespace ?? "";
  if (given !== "" && given !== namespace) {
    throw badRequest(
      "the namespace of the provided object does not match the namespace sent on the request",
    );
  }
  if (namespace === "") delete metadata.namespace;
  else metadata.namespace = namespace;
}

/** Returns whether a deletion waits for nothing any more: the object is then removed by the present write. */
export function isFinished(resource: ServedResource, object: ApiObject): boolean {
  const { metadata } = object;
  return (
    metadata?.deletionTimestamp !== undefined &&
    (metadata.finalizers ?? []).length === 0 &&
    (metadata.deletionGracePeriodSeconds ?? 0) === 0 &&
    !resource.isHeld(object)
  );
}

/** Throws unless uid and resourceVersion, where the writer gave them, are those of the stored object. */
export function checkUnchanged(
  object: ApiObject,
  old: { readonly uid: string | undefined; readonly modified: number },
  resource: ServedResource,
): void {
  const { name = "", uid, resourceVersion } = object.metadata ?? {};
  if (uid !== undefined && uid !== "" && uid !== old.uid) {
    throw modified(resource.groupResource, name);
  }
  if (
    resourceVersion !== undefined &&
    resourceVersion !== "" &&
    resourceVersion !== String(old.modified)
  ) {
    throw modified(resource.groupResource, name);
  }
}

/** Returns the fields that count for the generation: all but metadata, and the status if it has a writer. */
function desired(object: ApiObject, { hasStatus }: ServedResource): object {
  const { metadata: _, ...rest } = object as ApiObject & { status?: unknown };
  if (hasStatus) delete rest.status;
  return rest;
}
