import type { FieldError } from "../../fields/field-error.ts";
import { invalid, required } from "../../fields/field-errors.ts";
import { pathSegment } from "../../fields/names.ts";
import type { ClusterRole, PolicyRule, Role } from "../../types/rbac.ts";
import { each } from "../checks.ts";
import type { Kind } from "../kind.ts";
import { validateLabelSelector } from "../label-selector.ts";
import { createdColumn, nameColumn, table } from "../table.ts";

export const role: Kind<Role> = {
  name: pathSegment,
  validate: ({ rules }) => ruleErrors(rules ?? [], { isNamespaced: true }),
  table: table<Role>([nameColumn, createdColumn]),
};

export const clusterRole: Kind<ClusterRole> = {
  name: pathSegment,
  validate: (object) => [
    ...ruleErrors(object.rules ?? [], { isNamespaced: false }),
    ...aggregationErrors(object),
  ],
  table: table<ClusterRole>([nameColumn, createdColumn]),
};

function ruleErrors(
  rules: readonly PolicyRule[],
  { isNamespaced }: { isNamespaced: boolean },
): FieldError[] {
  return each(rules, "rules", (rule, path) => [
    ...atLeastOne(rule.verbs, `${path}.verbs`, "verbs must contain at least one value"),
    ...((rule.nonResourceURLs ?? []).length > 0
      ? urlErrors(rule, `${path}.nonResourceURLs`, isNamespaced)
      : [
          ...atLeastOne(
            rule.apiGroups,
            `${path}.apiGroups`,
            "resource rules must supply at least one api group",
          ),
          ...atLeastOne(
            rule.resources,
            `${path}.resources`,
            "resource rules must supply at least one resource",
          ),
        ]),
  ]);
}

function atLeastOne(
  values: readonly string[] | undefined,
  field: string,
  detail: string,
): FieldError[] {
  return (values ?? []).length === 0 ? [required(field, detail)] : [];
}

function urlErrors(rule: PolicyRule, field: string, isNamespaced: boolean): FieldError[] {
  const { nonResourceURLs: urls, apiGroups = [], resources = [], resourceNames = [] } = rule;
  const isMixed = apiGroups.length + resources.length + resourceNames.length > 0;
  const mixed = "rules cannot apply to both regular resources and non-resource URLs";
  const placed = "namespaced rules cannot apply to non-resource URLs";
  return [
    ...(isNamespaced ? [invalid(field, urls, placed)] : []),
    ...(isMixed ? [invalid(field, urls, mixed)] : []),
  ];
}

function aggregationErrors({ aggregationRule }: ClusterRole): FieldError[] {
  if (aggregationRule === undefined) return [];
  const path = "aggregationRule.clusterRoleSelectors";
  const selectors = aggregationRule.clusterRoleSelectors ?? [];
  const detail = "at least one clusterRoleSelector required if aggregationRule is non-nil";
  return [
    ...(selectors.length === 0 ? [required(path, detail)] : []),
    ...each(selectors, path, (selector, field) => validateLabelSelector(selector, field)),
  ];
}
