// A served resource, with everything that requests about it need.
import type { ApiObject, Kind } from "../../../api/kinds/kind.ts";
import type { CustomResource } from "../../../api/openapi/custom.ts";
import type { Schema } from "../../../api/schema/model.ts";
import type { Resource } from "../../../api/schema/resource.ts";
import type { Item, SelectableOf } from "../cache/item.ts";
import type { GroupName } from "../errors.ts";
import { collectionId } from "../keys.ts";
import type { PostWebhook } from "../streaming/webhook-client.ts";

/** Converts objects between the served version and the stored one. */
export interface Conversion {
  toStored(object: ApiObject): ApiObject;
  fromStored(object: ApiObject): ApiObject;
  /** Returns an object that was stored in another version in the one that is stored now. */
  restored?(object: ApiObject): ApiObject;
  /** The JSON of items in the served version, where making it takes long. */
  readonly served?: WeakMap<Item, Buffer>;
  /** Makes conversions of items ready; `undefined` when there is nothing to wait for. */
  prepare?(post: PostWebhook, items: readonly Item[]): Promise<void> | undefined;
}

/** The paths of the fields that a Scale shows. */
export interface ScaleFields {
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  /** The path of a label selector: an object, a map or text. */
  readonly selector: readonly string[] | undefined;
}

export interface Serving {
  readonly resource: Resource;
  readonly schema: Schema;
  readonly rules?: Kind | undefined;
  readonly listKind?: string | undefined;
  /** The collection that stores the objects, when it is another resource's. */
  readonly collection?: string | undefined;
  readonly conversion?: Conversion | undefined;
  /** The seconds after which objects expire. */
  readonly ttlSeconds?: number | undefined;
  /** Says that changes of anything but metadata and status count up the generation. */
  readonly hasGeneration?: boolean | undefined;
  readonly deletion?: DeletionRules | undefined;
  readonly scale?: ScaleFields | undefined;
  /** The OpenAPI description of a custom resource. */
  readonly custom?: CustomResource | undefined;
  /** The id of a custom resource's definition; it changes with every change of that definition. */
  readonly edition?: string | undefined;
  /** A warning for everyone who uses the resource. */
  readonly warning?: string | undefined;
}

/** The deletion rules of kinds that hold objects by other means than metadata.finalizers. */
export interface DeletionRules {
  isHeld(object: ApiObject): boolean;
  markDeleting(object: ApiObject): void;
}

const plainDeletion: DeletionRules = { isHeld: () => false, markDeleting: () => undefined };

export interface ServedResource extends Resource, DeletionRules {
  readonly apiVersion: string;
  readonly listKind: string;
  /** The plural and the kind, each with the group, for messages. */
  readonly groupResource: GroupName;
  readonly groupKind: GroupName;
  readonly schema: Schema;
  readonly rules: Kind;
  readonly collection: string;
  readonly conversion: Conversion | undefined;
  readonly ttlSeconds: number | undefined;
  readonly hasGeneration: boolean;
  /** Says that the status is a subresource with a writer of its own. */
  readonly hasStatus: boolean;
  readonly selectable: SelectableOf;
  readonly scale: ScaleFields | undefined;
  readonly custom: CustomResource | undefined;
  readonly edition: string;
  readonly warning: string | undefined;
}

export function serveResource(serving: Serving): ServedResource {
  const { resource, schema, rules = {}, conversion } = serving;
  const { group, version, plural, kind } = resource;
  return {
    ...resource,
    ...(serving.deletion ?? plainDeletion),
    apiVersion: apiVersionOf(group, version),
    listKind: serving.listKind ?? `${kind}List`,
    groupResource: { group, name: plural },
    groupKind: { group, name: kind },
    schema,
    rules,
    collection: serving.collection ?? collectionId(group, plural),
    conversion,
    ttlSeconds: serving.ttlSeconds,
    hasGeneration:
      serving.hasGeneration ?? rules.hasGeneration ?? schema.fields?.has("spec") === true,
    hasStatus: resource.subresources.some(({ name }) => name === "status"),
    selectable: selectableOf(rules, serving.custom === undefined ? undefined : conversion),
    scale: serving.scale,
    custom: serving.custom,
    edition: serving.edition ?? "",
    warning: serving.warning,
  };
}

/** Parses the object of an item, in the form in which it would be stored now. */
export function parseStored({ conversion }: ServedResource, item: Item): ApiObject {
  const object = item.parse();
  return conversion?.restored?.(object) ?? object;
}

export function apiVersionOf(group: string, version: string): string {
  return group === "" ? version : `${group}/${version}`;
}

/** Returns what selectors match; fields of custom resources are those of the served version. */
function selectableOf(rules: Kind, conversion: Conversion | undefined): SelectableOf {
  const names = rules.selectableFields ?? [];
  const served = (object: ApiObject) =>
    names.length === 0 ? object : (conversion?.fromStored(object) ?? object);
  const read = (object: ApiObject) => ({
    labels: object.metadata?.labels ?? {},
    fields: Object.fromEntries(
      names.map((name) => [name, rules.selectableField?.(object, name) ?? ""]),
    ),
  });
  return (object) => read(served(object));
}
