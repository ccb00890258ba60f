// Records in metadata.managedFields which manager set which field.

import { fieldElement } from "../../../api/apply/element.ts";
import { type FieldSet, setOf } from "../../../api/apply/field-set.ts";
import { trackUpdate, type Writer } from "../../../api/apply/update.ts";
import type { VersionedObject, Versions } from "../../../api/apply/version.ts";
import { timestamp } from "../../../api/fields/timestamp.ts";
import type { ApiObject } from "../../../api/kinds/kind.ts";
import { defined } from "../../../base/json/defined.ts";
import type { JsonObject } from "../../../base/json/value.ts";
import type { ServedResource } from "../resources/served.ts";
import type { PlanningCore } from "./planning.ts";

export interface Tracking {
  readonly resource: ServedResource;
  readonly manager: string;
  readonly subresource: string | undefined;
}

/** Returns the object with a record of what this writer has changed in it. */
export function recordOwner(
  core: PlanningCore,
  { old, object }: { old: ApiObject | undefined; object: ApiObject },
  tracking: Tracking,
): ApiObject {
  return trackUpdate(old as JsonObject | undefined, object as JsonObject, writerOf(core, tracking));
}

export function writerOf(core: PlanningCore, tracking: Tracking): Writer & Versions {
  const { resource, manager, subresource } = tracking;
  const ignored = untouchable(resource, subresource);
  return {
    manager,
    now: timestamp(core.settings.now()),
    apiVersion: resource.apiVersion,
    schema: resource.schema,
    convert: (object, apiVersion) => convert(core, resource, { object, apiVersion }),
    ...defined({ subresource, ignored }),
  };
}

const statusAlone = setOf([fieldElement("status")]);
const others = new WeakMap<ServedResource, FieldSet>();

/** Returns the fields that this writer cannot own: the status, or all others for writers of the status. */
function untouchable(
  resource: ServedResource,
  subresource: string | undefined,
): FieldSet | undefined {
  if (!resource.hasStatus) return undefined;
  if (subresource !== "status") return statusAlone;
  let set = others.get(resource);
  if (set === undefined) {
    const names = [...(resource.schema.fields?.keys() ?? [])];
    const rest = names.filter((name) => name !== "status" && name !== "metadata");
    set = setOf(...rest.map((name) => [fieldElement(name)]));
    others.set(resource, set);
  }
  return set;
}

/** Converts an object to another version of its resource. */
function convert(
  core: PlanningCore,
  { collection }: ServedResource,
  { object, apiVersion }: { object: JsonObject; apiVersion: string },
): VersionedObject | undefined {
  const versions = core.catalogue.resources.filter((each) => each.collection === collection);
  const from = versions.find((each) => each.apiVersion === object["apiVersion"]);
  const to = versions.find((each) => each.apiVersion === apiVersion);
  if (to === undefined) return undefined;
  const stored = from?.conversion?.toStored(object) ?? object;
  const converted = to.conversion?.fromStored(stored) ?? stored;
  return { schema: to.schema, object: converted as JsonObject };
}
