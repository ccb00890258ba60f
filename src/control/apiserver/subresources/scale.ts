// The scale subresource: the number of replicas, in one form for all kinds that can be scaled.

import type { ApiObject } from "../../../api/kinds/kind.ts";
import { compileLabelSelector } from "../../../api/selectors/label-selector.ts";
import type { Scale } from "../../../api/types/autoscaling.ts";
import { defined } from "../../../base/json/defined.ts";
import { isObject } from "../../../base/json/value.ts";
import { invalid } from "../errors.ts";
import type { ScaleFields } from "../resources/served.ts";

export function showScale(stored: ApiObject, fields: ScaleFields): Scale {
  const { name = "", namespace, uid, resourceVersion, creationTimestamp } = stored.metadata ?? {};
  const selector = selectorText(fields.selector && readPath(stored, fields.selector));
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: {
      name,
      ...defined({ namespace, uid, resourceVersion, creationTimestamp }),
    },
    spec: { replicas: asNumber(readPath(stored, fields.specReplicas)) },
    status: {
      replicas: asNumber(readPath(stored, fields.statusReplicas)),
      ...(selector === "" ? {} : { selector }),
    },
  };
}

export function takeScale(
  stored: ApiObject,
  given: ApiObject & { spec?: { replicas?: number } },
  fields: ScaleFields,
): ApiObject {
  const replicas = given.spec?.replicas ?? 0;
  if (replicas < 0) {
    throw invalid({ group: "autoscaling", name: "Scale" }, stored.metadata?.name ?? "", [
      {
        type: "FieldValueInvalid",
        field: "spec.replicas",
        value: replicas,
        detail: "must be greater than or equal to 0",
      },
    ]);
  }
  writePath(stored, fields.specReplicas, replicas);
  const { resourceVersion, uid } = given.metadata ?? {};
  const metadata = (stored.metadata ??= {});
  if (resourceVersion === undefined) delete metadata.resourceVersion;
  else metadata.resourceVersion = resourceVersion;
  if (uid !== undefined) metadata.uid = uid;
  return stored;
}

function readPath(object: object, path: readonly string[]): unknown {
  let value: unknown = object;
  for (const name of path) value = isObject(value) ? value[name] : undefined;
  return value;
}

function writePath(object: object, path: readonly string[], value: unknown): void {
  let parent = object as Record<string, unknown>;
  for (const name of path.slice(0, -1)) {
    const child = parent[name];
    parent = isObject(child) ? child : (parent[name] = {});
  }
  parent[path.at(-1) ?? ""] = value;
}

function asNumber(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

/** Returns the query form of a selector: `app=web,tier in (a,b),!old`. */
function selectorText(selector: unknown): string {
  if (typeof selector === "string") return selector;
  if (!isObject(selector)) return "";
  // A label of a plain map may have these names as well; its value is text then.
  const isFull = isObject(selector["matchLabels"]) || Array.isArray(selector["matchExpressions"]);
  return compileLabelSelector(isFull ? selector : { matchLabels: selector as Labels }).text;
}

type Labels = Record<string, string>;
