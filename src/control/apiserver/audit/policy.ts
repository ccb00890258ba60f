// Kubernetes' audit policy: which requests are logged, and in how much detail.
import { parse } from "yaml";
import type { Attributes, User } from "../access.ts";

export type Level = "None" | "Metadata" | "Request" | "RequestResponse";
export type Stage = "RequestReceived" | "ResponseStarted" | "ResponseComplete" | "Panic";

const levels: readonly string[] = ["None", "Metadata", "Request", "RequestResponse"];
const stages: readonly string[] = [
  "RequestReceived",
  "ResponseStarted",
  "ResponseComplete",
  "Panic",
];

interface Rule {
  readonly level: Level;
  readonly users?: readonly string[];
  readonly userGroups?: readonly string[];
  readonly verbs?: readonly string[];
  readonly resources?: readonly {
    readonly group?: string;
    readonly resources?: readonly string[];
    readonly resourceNames?: readonly string[];
  }[];
  readonly namespaces?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly omitStages?: readonly Stage[];
  readonly omitManagedFields?: boolean;
}

export interface Policy {
  readonly rules: readonly Rule[];
  readonly omitStages: readonly Stage[];
  readonly omitManagedFields: boolean;
}

export interface Decision {
  readonly level: Level;
  readonly omitStages: readonly Stage[];
  readonly omitManagedFields: boolean;
}

/** The policy without a file: metadata of every request, once it is complete. */
export const usualPolicy: Policy = {
  rules: [{ level: "Metadata" }],
  omitStages: ["RequestReceived", "ResponseStarted"],
  omitManagedFields: false,
};

/** Parses a policy. Throws with the names of the file and the field when it is invalid. */
export function parsePolicy(text: string, file: string): Policy {
  const refuse = (state: string): never => {
    throw new Error(`Cannot read the audit policy ${file}: ${state}`);
  };
  const value = parse(text) as Partial<Policy> & { apiVersion?: string; kind?: string };
  if (value?.apiVersion !== "audit.k8s.io/v1" || value.kind !== "Policy") {
    return refuse("it is not a Policy of audit.k8s.io/v1");
  }
  const { rules = [], omitStages = [], omitManagedFields = false } = value;
  if (!Array.isArray(rules) || rules.length === 0) return refuse("rules is empty");
  const checkStages = (list: readonly string[] | undefined, field: string) => {
    const wrong = (list ?? []).find((stage) => !stages.includes(stage));
    if (wrong !== undefined) refuse(`${field}: ${JSON.stringify(wrong)} is no stage`);
  };
  checkStages(omitStages, "omitStages");
  for (const [index, rule] of (rules as Rule[]).entries()) {
    const at = `rules[${index}]`;
    if (!levels.includes(rule?.level))
      refuse(`${at}.level: ${JSON.stringify(rule?.level)} is no level`);
    if (rule.nonResourceURLs !== undefined && (rule.resources ?? rule.namespaces) !== undefined) {
      refuse(
        `${at}.nonResourceURLs: rules cannot apply to both regular resources and non-resource URLs`,
      );
    }
    checkStages(rule.omitStages, `${at}.omitStages`);
  }
  return { rules: rules as Rule[], omitStages, omitManagedFields };
}

/** Returns the decision of the first rule that matches; requests that match none are not logged. */
export function decide(policy: Policy, user: User | undefined, attributes: Attributes): Decision {
  const rule = policy.rules.find((each) => matches(each, user, attributes));
  return {
    level: rule?.level ?? "None",
    omitStages: [...policy.omitStages, ...(rule?.omitStages ?? [])],
    omitManagedFields: rule?.omitManagedFields ?? policy.omitManagedFields,
  };
}

function matches(rule: Rule, user: User | undefined, about: Attributes): boolean {
  const { users = [], userGroups = [], verbs = [] } = rule;
  if (users.length > 0 && !users.includes(user?.name ?? "")) return false;
  if (userGroups.length > 0 && !userGroups.some((group) => user?.groups.includes(group))) {
    return false;
  }
  if (verbs.length > 0 && !verbs.includes(about.verb)) return false;
  const isOfResources = (rule.resources ?? []).length > 0 || (rule.namespaces ?? []).length > 0;
  const isOfPaths = (rule.nonResourceURLs ?? []).length > 0;
  if (!isOfResources && !isOfPaths) return true;
  return about.resource === ""
    ? isOfPaths && matchesPath(rule, about)
    : isOfResources && matchesResource(rule, about);
}

function matchesPath({ nonResourceURLs = [] }: Rule, { path }: Attributes): boolean {
  return nonResourceURLs.some(
    (url) =>
      url === "*" || url === path || (url.endsWith("*") && path.startsWith(url.slice(0, -1))),
  );
}

function matchesResource({ resources = [], namespaces = [] }: Rule, about: Attributes): boolean {
  if (namespaces.length > 0 && !namespaces.includes(about.namespace ?? "")) return false;
  if (resources.length === 0) return true;
  const { resource, subresource } = about;
  const full = subresource === undefined ? resource : `${resource}/${subresource}`;
  return resources.some(({ group = "", resources: names = [], resourceNames = [] }) => {
    if (group !== about.group) return false;
    if (resourceNames.length > 0 && !resourceNames.includes(about.name ?? "")) return false;
    return (
      names.length === 0 ||
      names.some(
        (name) =>
          name === "*" ||
          name === full ||
          (subresource !== undefined && (name === `*/${subresource}` || name === `${resource}/*`)),
      )
    );
  });
}
