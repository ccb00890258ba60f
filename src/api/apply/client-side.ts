// Migration between `kubectl apply` and `kubectl apply --server-side`, both ways. The server supports it for
// the manager `kubectl` only, as users of other managers have not asked for it.

import { readJson } from "../../base/json/read-json.ts";
import { canonicalJson, isObject, type JsonObject } from "../../base/json/value.ts";
import { faultsOf } from "./check.ts";
import { compare } from "./compare.ts";
import { fieldsOf } from "./extract.ts";
import { difference, emptySet, type FieldSet } from "./field-set.ts";
import { metadataOf } from "./managed-object.ts";
import type { Versions } from "./version.ts";

export const kubectl = "kubectl";

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/** The size limit of all annotations together. */
const maxAnnotationBytes = 256 * 1024;

/** The fields that are still as client-side apply left them: server-side apply may take them over. */
export function appliedByClient(live: JsonObject, versions: Versions): FieldSet {
  const config = lastConfiguration(live);
  if (config?.["apiVersion"] !== versions.apiVersion) return emptySet;
  const isClear = [config, live].every((object) => faultsOf(versions.schema, object).length === 0);
  if (!isClear) return emptySet;
  const { removed, modified, added } = compare(versions.schema, config, live);
  return [modified, added, removed].reduce(difference, fieldsOf(versions.schema, config));
}

/** The object with its last-applied annotation, if it has one, updated to this configuration. */
export function syncAnnotation(object: JsonObject, config: JsonObject): JsonObject {
  const annotations = annotationsOf(object);
  if (typeof annotations?.[lastApplied] !== "string" || annotations[lastApplied] === "") {
    return object;
  }
  const value = `${canonicalJson(withoutAnnotation(config))}\n`;
  if (value === annotations[lastApplied]) return object;
  const synced: JsonObject = { ...annotations, [lastApplied]: value };
  if (sizeOf(synced) > maxAnnotationBytes) delete synced[lastApplied];
  return { ...object, metadata: { ...metadataOf(object), annotations: synced } };
}

function lastConfiguration(live: JsonObject): JsonObject | undefined {
  const text = annotationsOf(live)?.[lastApplied];
  if (typeof text !== "string") return undefined;
  try {
    const config: unknown = readJson(text);
    return isObject(config) ? config : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function withoutAnnotation(config: JsonObject): JsonObject {
  const annotations = annotationsOf(config);
  if (annotations === undefined) return config;
  const { [lastApplied]: _, ...others } = annotations;
  return { ...config, metadata: { ...metadataOf(config), annotations: others } };
}

function annotationsOf(object: JsonObject): JsonObject | undefined {
  const { annotations } = metadataOf(object);
  return isObject(annotations) ? annotations : undefined;
}

function sizeOf(annotations: JsonObject): number {
  const texts = Object.entries(annotations)
    .flat()
    .filter((text) => typeof text === "string");
  return new TextEncoder().encode(texts.join("")).length;
}
