// Rules of admission: which operations on which resources a policy or webhook is about.
import type { NamedRuleWithOperations } from "../../../../api/types/admissionregistration.ts";
import type { Catalogue } from "../../resources/catalogue.ts";
import type { ServedResource } from "../../resources/served.ts";
import type { AdmissionRequest, MatchedResource } from "./request.ts";

type Rules = readonly NamedRuleWithOperations[];

/** Returns the version of the resource that a rule names; `undefined` when no rule matches. */
export function matchedByRules(
  rules: Rules,
  request: AdmissionRequest,
  { catalogue, matchPolicy }: { catalogue: Catalogue; matchPolicy: "Equivalent" | "Exact" },
): MatchedResource | undefined {
  const { resource, kind } = request;
  if (rules.some((rule) => matches(rule, request, resource))) return { resource, kind };
  if (matchPolicy === "Exact") return undefined;
  for (const rule of rules) {
    for (const other of equivalents(catalogue, resource)) {
      if (matches(rule, request, other)) return { resource: other, kind: kindIn(other, request) };
    }
  }
  return undefined;
}

/** Returns the other versions of a resource, which are stored in the same collection. */
function equivalents(catalogue: Catalogue, resource: ServedResource): ServedResource[] {
  return catalogue.resources.filter(
    (each) => each.collection === resource.collection && each !== resource,
  );
}

function kindIn(resource: ServedResource, { kind, subresource }: AdmissionRequest) {
  const own = resource.subresources.find(({ name }) => name === subresource);
  if (own !== undefined) return { group: own.group, version: own.version, kind: own.kind };
  const { group, version } = resource;
  return { group, version, kind: kind.kind };
}

function matches(
  rule: NamedRuleWithOperations,
  request: AdmissionRequest,
  { group, version, plural }: ServedResource,
): boolean {
  const { resourceNames = [] } = rule;
  return (
    isInScope(rule.scope ?? "*", request) &&
    includes(rule.operations, request.operation) &&
    includes(rule.apiGroups, group) &&
    includes(rule.apiVersions, version) &&
    (rule.resources ?? []).some((each) => isNamed(each, plural, request.subresource ?? "")) &&
    (resourceNames.length === 0 || resourceNames.includes(request.name))
  );
}

function includes(list: readonly string[] | undefined, wanted: string): boolean {
  return list !== undefined && (list.includes("*") || list.includes(wanted));
}

/** Returns whether `pods`, `pods/status`, `pods/*`, `*` or `*` with a subresource names the resource. */
function isNamed(text: string, plural: string, subresource: string): boolean {
  const slash = text.indexOf("/");
  const resource = slash < 0 ? text : text.slice(0, slash);
  const sub = slash < 0 ? "" : text.slice(slash + 1);
  return (resource === "*" || resource === plural) && (sub === "*" || sub === subresource);
}

/** Returns whether the scope fits; a Namespace counts as cluster-scoped, though its request has a namespace. */
function isInScope(scope: string, { resource, namespace }: AdmissionRequest): boolean {
  if (scope === "*") return true;
  const isNamespace = resource.group === "" && resource.plural === "namespaces";
  const isClusterScoped = isNamespace || namespace === "";
  return scope === "Cluster" ? isClusterScoped : scope === "Namespaced" && !isClusterScoped;
}
