// The rules of a cluster role that takes them from others: those of every role its selectors match.
import { compileLabelSelector } from "../../selectors/label-selector.ts";
import type { ClusterRole, PolicyRule } from "../../types/rbac.ts";

/** Returns the aggregated rules; `undefined` for a role whose rules are its own. */
export function aggregatedRules(
  { metadata, aggregationRule }: Pick<ClusterRole, "metadata" | "aggregationRule">,
  roles: readonly ClusterRole[],
): PolicyRule[] | undefined {
  if (aggregationRule === undefined) return undefined;
  const others = roles
    .filter((role) => role.metadata.name !== metadata.name)
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const rules = new Map<string, PolicyRule>();
  for (const selector of aggregationRule.clusterRoleSelectors ?? []) {
    const filter = compileLabelSelector(selector);
    for (const role of others.filter((other) => filter.matches(other))) {
      for (const rule of role.rules ?? []) rules.set(keyOf(rule), rules.get(keyOf(rule)) ?? rule);
    }
  }
  return [...rules.values()];
}

/** Returns a key that is equal for equal rules, so that thousands of them are compared in one pass. */
function keyOf(rule: PolicyRule): string {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  return JSON.stringify([verbs, apiGroups, resources, resourceNames, nonResourceURLs]);
}
