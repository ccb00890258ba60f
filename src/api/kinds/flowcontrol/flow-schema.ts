import type { FieldError } from "../../fields/field-error.ts";
import { forbidden, invalid, required } from "../../fields/field-errors.ts";
import { dnsSubdomain } from "../../fields/names.ts";
import type { FlowSchema, PolicyRulesWithSubjects, Subject } from "../../types/flowcontrol.ts";
import { each, oneOf, optionalOneOf, presentName } from "../checks.ts";
import type { Kind } from "../kind.ts";
import { specAndStatus } from "../spec-and-status.ts";
import { ageColumn, integer, nameColumn, table, text } from "../table.ts";

const usualPrecedence = 1000;
const largestPrecedence = 10_000;

export const flowSchema: Kind<FlowSchema> = specAndStatus<FlowSchema>({
  default(object) {
    object.spec ??= { priorityLevelConfiguration: { name: "" } };
    object.spec.matchingPrecedence ||= usualPrecedence;
  },
  initialStatus: () => ({}),
  validate({ spec, metadata }) {
    const precedence = spec.matchingPrecedence ?? usualPrecedence;
    const field = "spec.matchingPrecedence";
    return [
      ...(precedence >= 1 && precedence <= largestPrecedence
        ? []
        : [invalid(field, precedence, "must be between 1 and 10000")]),
      ...(precedence === 1 && metadata.name !== "exempt"
        ? [
            invalid(
              field,
              precedence,
              "only the schema named 'exempt' may have matchingPrecedence 1",
            ),
          ]
        : []),
      ...optionalOneOf("spec.distinguisherMethod.type", spec.distinguisherMethod?.type, [
        "ByNamespace",
        "ByUser",
      ]),
      ...presentName(
        "spec.priorityLevelConfiguration.name",
        spec.priorityLevelConfiguration?.name,
        dnsSubdomain,
      ),
      ...each(spec.rules, "spec.rules", ruleErrors),
    ];
  },
  table: table<FlowSchema>([
    nameColumn,
    text("PriorityLevel", ({ spec }) => spec?.priorityLevelConfiguration?.name),
    integer("MatchingPrecedence", ({ spec }) => spec?.matchingPrecedence),
    text("DistinguisherMethod", ({ spec }) => spec?.distinguisherMethod?.type ?? "<none>"),
    ageColumn,
    text("MissingPL", ({ status }) => {
      const condition = status?.conditions?.find(({ type }) => type === "Dangling");
      return condition?.status ?? "?";
    }),
  ]),
});

function ruleErrors(rule: PolicyRulesWithSubjects, path: string): FieldError[] {
  // Requests may lack any field, whatever their type says.
  const given: Partial<PolicyRulesWithSubjects> = rule;
  const { subjects = [], resourceRules = [], nonResourceRules = [] } = given;
  return [
    ...(subjects.length === 0
      ? [required(`${path}.subjects`, "subjects must contain at least one value")]
      : []),
    ...each(subjects, `${path}.subjects`, subjectErrors),
    ...(resourceRules.length + nonResourceRules.length === 0
      ? [required(path, "at least one of resourceRules and nonResourceRules has to be non-empty")]
      : []),
    ...each(resourceRules, `${path}.resourceRules`, (one, at) => [
      ...words(`${at}.verbs`, one.verbs),
      ...words(`${at}.apiGroups`, one.apiGroups),
      ...words(`${at}.resources`, one.resources),
      ...(one.clusterScope !== true && (one.namespaces ?? []).length === 0
        ? [
            required(
              `${at}.namespaces`,
              "resource rules that are not cluster scoped must supply at least one namespace",
            ),
          ]
        : []),
    ]),
    ...each(nonResourceRules, `${path}.nonResourceRules`, (one, at) => [
      ...words(`${at}.verbs`, one.verbs),
      ...words(`${at}.nonResourceURLs`, one.nonResourceURLs),
    ]),
  ];
}

const kinds = { User: "user", Group: "group", ServiceAccount: "serviceAccount" } as const;

function subjectErrors(subject: Subject, path: string): FieldError[] {
  const errors = oneOf(`${path}.kind`, subject.kind, Object.keys(kinds));
  if (errors.length > 0) return errors;
  return Object.entries(kinds).flatMap(([kind, field]) => {
    const value = subject[field];
    const detail = `${field} is required when subject kind is '${kind}'`;
    if (subject.kind === kind) return value?.name ? [] : [required(`${path}.${field}`, detail)];
    const other = `${field} is forbidden when subject kind is not '${kind}'`;
    return value === undefined ? [] : [forbidden(`${path}.${field}`, other)];
  });
}

/** Checks a list that must not be empty, in which a star must stand alone. */
function words(field: string, list: readonly string[] | undefined): FieldError[] {
  if (list === undefined || list.length === 0)
    return [required(field, "must contain at least one value")];
  if (!list.includes("*") || list.length === 1) return [];
  return [invalid(field, list, "if '*' is present, must not specify other values")];
}
