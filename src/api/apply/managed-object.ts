import { isObject, type JsonObject } from "../../base/json/value.ts";
import { encodeOwners, type Owners } from "./owners.ts";

/** The value of metadata.managedFields, unparsed. */
export function entriesOf(object: JsonObject): unknown {
  return metadataOf(object)["managedFields"];
}

export function metadataOf(object: JsonObject): JsonObject {
  const metadata = object["metadata"];
  return isObject(metadata) ? metadata : {};
}

export function withoutEntries(object: JsonObject): JsonObject {
  if (!Object.hasOwn(metadataOf(object), "managedFields")) return object;
  const { managedFields: _, ...metadata } = metadataOf(object);
  return { ...object, metadata };
}

export function withOwners(object: JsonObject, owners: Owners): JsonObject {
  if (owners.size === 0) return withoutEntries(object);
  const { managedFields: _, ...metadata } = metadataOf(object);
  return { ...object, metadata: { ...metadata, managedFields: encodeOwners(owners) } };
}
