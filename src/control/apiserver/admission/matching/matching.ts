// Matching: decides whether a policy, binding or webhook applies to a request. The door of this folder.
import {
  compileLabelSelector,
  type LabelFilter,
} from "../../../../api/selectors/label-selector.ts";
import type {
  MatchResources,
  MutatingWebhook,
  ValidatingWebhook,
} from "../../../../api/types/admissionregistration.ts";
import { notFound } from "../../errors.ts";
import type { Catalogue } from "../../resources/catalogue.ts";
import type { ObjectReader } from "../../security/objects.ts";
import type { AdmissionRequest, MatchedResource } from "./request.ts";
import { matchedByRules } from "./rules.ts";

export { isExemptFromPolicies, isExemptFromWebhooks } from "./exempt.ts";
export { compileMatchConditions, type MatchConditions } from "./match-conditions.ts";

/** The parts of the server that matching reads. */
export interface MatchContext {
  readonly objects: Pick<ObjectReader, "get">;
  readonly catalogue: Catalogue;
}

export interface Matching {
  /** Returns the version of the resource that matched; `undefined` when the request does not match. */
  match(request: AdmissionRequest, context: MatchContext): MatchedResource | undefined;
}

/** Compiles the constraints of a policy or binding; without rules they match every resource. */
export function compileMatching(criteria: MatchResources): Matching {
  const { resourceRules = [], excludeResourceRules = [], matchPolicy = "Equivalent" } = criteria;
  const namespaces = compileLabelSelector(criteria.namespaceSelector ?? {});
  const objects = compileLabelSelector(criteria.objectSelector ?? {});
  return {
    match(request, context) {
      const how = { catalogue: context.catalogue, matchPolicy };
      const found =
        resourceRules.length === 0
          ? { resource: request.resource, kind: request.kind }
          : matchedByRules(resourceRules, request, how);
      if (found === undefined) return undefined;
      if (matchedByRules(excludeResourceRules, request, how) !== undefined) return undefined;
      const isSelected =
        matchesObjects(objects, request) && matchesNamespace(namespaces, request, context);
      return isSelected ? found : undefined;
    },
  };
}

/** Compiles the rules and selectors of a webhook; without rules it matches nothing. */
export function compileWebhookMatching(hook: MutatingWebhook | ValidatingWebhook): Matching {
  const { rules = [], namespaceSelector, objectSelector, matchPolicy } = hook;
  if (rules.length === 0) return { match: () => undefined };
  return compileMatching({
    resourceRules: rules,
    ...(namespaceSelector === undefined ? {} : { namespaceSelector }),
    ...(objectSelector === undefined ? {} : { objectSelector }),
    ...(matchPolicy === undefined ? {} : { matchPolicy }),
  });
}

/** Returns whether the new or the stored object is selected. */
function matchesObjects(selector: LabelFilter, { object, oldObject }: AdmissionRequest): boolean {
  if (selector.requirements.length === 0) return true;
  return [object, oldObject].some((each) => each?.metadata !== undefined && selector.matches(each));
}

/** Returns whether the namespace is selected; cluster-scoped objects other than namespaces always are. */
function matchesNamespace(
  selector: LabelFilter,
  request: AdmissionRequest,
  { objects }: MatchContext,
): boolean {
  const { resource, namespace, operation, subresource, object } = request;
  const isNamespace = resource.group === "" && resource.plural === "namespaces";
  if (selector.requirements.length === 0 || (namespace === "" && !isNamespace)) return true;
  const isWritten = operation === "CREATE" || operation === "UPDATE";
  // The stored namespace does not have the labels of a request that writes it.
  if (isNamespace && subresource === undefined && isWritten) return selector.matches(object);
  const stored = objects.get("namespaces", "", namespace);
  if (stored === undefined) throw notFound({ group: "", name: "namespaces" }, namespace);
  return selector.matches(stored);
}
