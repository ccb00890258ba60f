// A resource the server serves, with everything a request about it needs at hand.
import type { ApiObject, Kind } from "../../../api/kinds/kind.ts";
import type { CustomResource } from "../../../api/openapi/custom.ts";
import type { Schema } from "../../../api/schema/model.ts";
import type { Resource } from "../../../api/schema/resources.ts";
import type { SelectableOf } from "../cache/item.ts";
import type { GroupName } from "../errors.ts";
import { collectionId } from "../keys.ts";

/** How objects are read and written in another version than they are stored in. */
export interface Conversion {
  toStored(object: ApiObject): ApiObject;
  fromStored(object: ApiObject): ApiObject;
}

/** Where an object keeps what a Scale says of it. */
export interface ScaleFields {
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  /** A label selector, as an object, a map or text. */
  readonly selector: readonly string[] | undefined;
}

export interface Serving {
  readonly resource: Resource;
  readonly schema: Schema;
  readonly rules?: Kind | undefined;
  readonly listKind?: string | undefined;
  /** The collection the objects are kept in, when it is another resource's. */
  readonly collection?: string | undefined;
  readonly conversion?: Conversion | undefined;
  /** How long objects are kept. */
  readonly ttlSeconds?: number | undefined;
  /** Whether changes to anything but metadata and status count as a new generation. */
  readonly hasGeneration?: boolean | undefined;
  readonly deletion?: DeletionRules | undefined;
  readonly scale?: ScaleFields | undefined;
  /** How a custom resource shows in OpenAPI. */
  readonly custom?: CustomResource | undefined;
  /** Tells one definition of a custom resource from the next. */
  readonly edition?: string | undefined;
  /** Told to everyone who uses the resource. */
  readonly warning?: string | undefined;
}

/** For kinds that hold on to objects by other means than metadata.finalizers. */
export interface DeletionRules {
  isHeld(object: ApiObject): boolean;
  markDeleting(object: ApiObject): void;
}

const plainDeletion: DeletionRules = { isHeld: () => false, markDeleting: () => undefined };

export interface ServedResource extends Resource, DeletionRules {
  readonly apiVersion: string;
  readonly listKind: string;
  /** For messages: the plural and the kind, each with the group. */
  readonly groupResource: GroupName;
  readonly groupKind: GroupName;
  readonly schema: Schema;
  readonly rules: Kind;
  readonly collection: string;
  readonly conversion: Conversion | undefined;
  readonly ttlSeconds: number | undefined;
  readonly hasGeneration: boolean;
  /** Whether the status has a writer of its own. */
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
    selectable: selectableOf(rules),
    scale: serving.scale,
    custom: serving.custom,
    edition: serving.edition ?? "",
    warning: serving.warning,
  };
}

export function apiVersionOf(group: string, version: string): string {
  return group === "" ? version : `${group}/${version}`;
}

function selectableOf(rules: Kind): SelectableOf {
  const names = rules.selectableFields ?? [];
  return (object) => ({
    labels: object.metadata?.labels ?? {},
    fields: Object.fromEntries(
      names.map((name) => [name, rules.selectableField?.(object, name) ?? ""]),
    ),
  });
}
