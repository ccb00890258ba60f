// The parameters of a binding: objects of a kind that the policy names.
import type { ApiObject } from "../../../../api/kinds/kind.ts";
import { compileLabelSelector } from "../../../../api/selectors/label-selector.ts";
import type { ParamKind, ParamRef } from "../../../../api/types/admissionregistration.ts";
import type { Catalogue } from "../../resources/catalogue.ts";
import type { ServedResource } from "../../resources/served.ts";
import type { ObjectReader } from "../../security/objects.ts";

/** A binding cannot be used as it is; the failure policy decides. */
export class ConfigurationError extends Error {}

export interface ParamsContext {
  readonly objects: Pick<ObjectReader, "get" | "list">;
  readonly catalogue: Catalogue;
  /** The namespace of the request; empty for cluster-scoped objects. */
  readonly namespace: string;
}

/** Returns the parameters, each of which the policy is evaluated with; `undefined` stands for none. */
export function collectParams(
  kind: ParamKind | undefined,
  reference: ParamRef | undefined,
  context: ParamsContext,
): readonly (ApiObject | undefined)[] {
  if (kind === undefined || reference === undefined) return [undefined];
  const resource = context.catalogue.resources.find(
    (each) => each.apiVersion === kind.apiVersion && each.kind === kind.kind,
  );
  if (resource === undefined) {
    throw new ConfigurationError(
      `paramKind kind \`${kind.apiVersion ?? ""}, Kind=${kind.kind ?? ""}\` not known`,
    );
  }
  const found = find(resource, reference, context);
  if (found.length === 0 && reference.parameterNotFoundAction === "Deny") {
    throw new ConfigurationError(
      "no params found for policy binding with `Deny` parameterNotFoundAction",
    );
  }
  return found.map((object) => resource.conversion?.fromStored(structuredClone(object)) ?? object);
}

function find(
  resource: ServedResource,
  { name, namespace: given = "", selector }: ParamRef,
  { objects, namespace }: ParamsContext,
): ApiObject[] {
  if (!resource.namespaced && given !== "") {
    throw new ConfigurationError(
      "paramRef.namespace must not be provided for a cluster-scoped `paramKind`",
    );
  }
  const place = resource.namespaced ? given || namespace : "";
  if (resource.namespaced && place === "") {
    throw new ConfigurationError(
      "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources",
    );
  }
  if (name) {
    const object = objects.get(resource.collection, place, name);
    return object === undefined ? [] : [object];
  }
  if (selector === undefined) {
    throw new ConfigurationError("one of name or selector must be provided");
  }
  const filter = compileLabelSelector(selector);
  return [...objects.list(resource.collection)].filter(
    (object) => (object.metadata?.namespace ?? "") === place && filter.matches(object),
  );
}
