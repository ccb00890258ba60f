// Plans a write from the request as it came.

import type { ApiObject } from "../../../api/kinds/kind.ts";
import { sameJson } from "../../../base/json/value.ts";
import { encodeStored, Item } from "../cache/item.ts";
import { noSuchResource, objectTooLarge, tooMuchWork } from "../errors.ts";
import { excessOf, largestObject } from "../limits/object-size.ts";
import { requestInfo } from "../request-info.ts";
import { plannerOf } from "../write/planners.ts";
import type { PlanningCore } from "../write/planning.ts";
import type { WriteJob, Written } from "./job.ts";

export async function workOut(
  core: PlanningCore,
  job: WriteJob,
  warnings: string[],
): Promise<Written> {
  const info = requestInfo(job.method, job.url);
  const target = info.resource;
  const resource = target && core.catalogue.find(target.group, target.version, target.resource);
  if (target === undefined || resource === undefined) throw noSuchResource();
  const request = { method: job.method, url: job.url, headers: job.headers };
  const annotations: Record<string, string> = {};
  const exchange = { request, info, target, user: job.user, warnings, annotations };
  const body = Buffer.from(job.body.buffer, job.body.byteOffset, job.body.byteLength);
  const place = { namespace: target.namespace ?? "", name: target.name ?? "" };
  const old =
    job.old && new Item(place, Buffer.from(job.old.bytes), { modified: job.old.modified });
  const plan = await plannerOf(core, exchange, { resource, body })(old);
  const base = { isSame: false, isGenerated: false, selectable: undefined, warnings, annotations };
  if (plan.type !== "put" || !("object" in plan)) {
    return { ...base, type: plan.type, name: place.name, value: undefined };
  }
  const { object } = plan;
  const name = object.metadata?.name ?? "";
  const stored = encodeStored(object);
  if (stored.length > largestObject) {
    throw objectTooLarge(resource.groupResource, name, largestObject);
  }
  const excess = excessOf(object);
  if (excess !== undefined) {
    throw tooMuchWork(`${resource.kind} ${JSON.stringify(name)} has ${excess}`);
  }
  return {
    ...base,
    type: "put",
    name,
    value: new Uint8Array(stored),
    isSame: old !== undefined && isSame(old, object, stored.length),
    isGenerated: plan.isGenerated === true,
    selectable: resource.selectable(object),
  };
}

function isSame(old: Item, object: ApiObject, length: number): boolean {
  if (old.storedLength !== length) return false;
  const before = old.parse();
  delete before.metadata?.resourceVersion;
  const { resourceVersion: _, ...metadata } = object.metadata ?? {};
  return sameJson(before, { ...object, metadata });
}
