// Matches a request to its flow schema.
import type {
  FlowSchema,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  Subject,
} from "../../../api/types/flowcontrol.ts";
import type { Attributes, User } from "../access.ts";

export function matches(schema: FlowSchema, user: User, attributes: Attributes): boolean {
  return (schema.spec.rules ?? []).some(
    (rule) => rule.subjects.some((subject) => isSubject(subject, user)) && covers(rule, attributes),
  );
}

/** Sorts schemas in the order they are tried: by precedence, then by name. */
export function inOrder(schemas: Iterable<FlowSchema>): FlowSchema[] {
  return [...schemas].toSorted(
    (a, b) =>
      (a.spec.matchingPrecedence ?? 1000) - (b.spec.matchingPrecedence ?? 1000) ||
      (a.metadata.name < b.metadata.name ? -1 : 1),
  );
}

/** Returns the distinguisher, which separates the flows of one schema. */
export function distinguish(schema: FlowSchema, user: User, attributes: Attributes): string {
  const type = schema.spec.distinguisherMethod?.type;
  if (type === "ByUser") return user.name;
  return type === "ByNamespace" ? (attributes.namespace ?? "") : "";
}

const accountPrefix = "system:serviceaccount:";

function isSubject({ kind, user: one, group, serviceAccount }: Subject, user: User): boolean {
  if (kind === "User") return one?.name === "*" || one?.name === user.name;
  if (kind === "Group") return group?.name === "*" || user.groups.includes(group?.name ?? "");
  if (kind !== "ServiceAccount" || serviceAccount === undefined) return false;
  const { namespace, name } = serviceAccount;
  return name === "*"
    ? user.name.startsWith(`${accountPrefix}${namespace}:`)
    : user.name === `${accountPrefix}${namespace}:${name}`;
}

function covers(rule: PolicyRulesWithSubjects, attributes: Attributes): boolean {
  return attributes.resource === ""
    ? (rule.nonResourceRules ?? []).some((each) => coversPath(each, attributes))
    : (rule.resourceRules ?? []).some((each) => coversResource(each, attributes));
}

function coversPath({ verbs, nonResourceURLs }: NonResourcePolicyRule, about: Attributes): boolean {
  if (!holds(verbs, about.verb)) return false;
  return nonResourceURLs.some(
    (url) =>
      url === "*" ||
      url === about.path ||
      (url.endsWith("/*") && about.path.startsWith(url.slice(0, -1))),
  );
}

function coversResource(rule: ResourcePolicyRule, about: Attributes): boolean {
  const { resource, subresource, namespace } = about;
  const full = subresource === undefined ? resource : `${resource}/${subresource}`;
  if (!holds(rule.verbs, about.verb) || !holds(rule.apiGroups, about.group)) return false;
  if (!holds(rule.resources, full)) return false;
  return namespace === undefined
    ? rule.clusterScope === true
    : holds(rule.namespaces ?? [], namespace);
}

function holds(list: readonly string[], wanted: string): boolean {
  return list.includes("*") || list.includes(wanted);
}
