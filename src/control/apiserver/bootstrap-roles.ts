// Default roles and bindings get what they lack at every start, since a newer server may need more than the
// one that wrote them. Rules and subjects that others have added stay.

import type { ApiObject } from "../../api/kinds/kind.ts";
import type { ClusterRole, ClusterRoleBinding } from "../../api/types/rbac.ts";
import { sameJson } from "../../base/json/value.ts";
import type { BootstrapObject } from "./bootstrap-object.ts";
import type { Core } from "./core.ts";
import { writeOwn } from "./write/own-object.ts";

const autoupdate = "rbac.authorization.kubernetes.io/autoupdate";
const lists = ["rules", "subjects"] as const;

export async function restoreRoles(core: Core, wanted: readonly BootstrapObject[]): Promise<void> {
  for (const { group, version, plural, object } of wanted) {
    const resource = core.catalogue.find(group, version, plural);
    const { name = "", namespace = "", annotations } = object.metadata ?? {};
    if (resource === undefined || annotations?.[autoupdate] === undefined) continue;
    await writeOwn(core, {
      resource,
      namespace,
      name,
      desire: (old) => old && completed(old, object),
    });
  }
}

/** Returns the completed object; `undefined` when nothing is missing or its auto-update is off. */
function completed(old: ApiObject, object: ApiObject): ApiObject | undefined {
  if (old.metadata?.annotations?.[autoupdate] !== "true") return undefined;
  const isAggregated = "aggregationRule" in object;
  const changes: [string, unknown][] = [
    ...missingLabels(old, object),
    // Rules of an aggregated role are skipped: they are gathered from other roles.
    ...lists
      .filter((field) => field !== "rules" || !isAggregated)
      .flatMap((field) => missingItems(old, object, field)),
    ...missingAggregation(old, object),
  ];
  return changes.length === 0 ? undefined : Object.assign(old, Object.fromEntries(changes));
}

function missingItems(
  old: ApiObject,
  object: ApiObject,
  field: (typeof lists)[number],
): [string, unknown][] {
  const present = listOf(old, field);
  const missing = listOf(object, field).filter(
    (one) => !present.some((each) => sameJson(each, one)),
  );
  return missing.length === 0 ? [] : [[field, [...present, ...missing]]];
}

/** Restores missing labels, by which aggregated roles find the roles they take rules from. */
function missingLabels(old: ApiObject, object: ApiObject): [string, unknown][] {
  const { labels = {} } = old.metadata ?? {};
  const wanted = object.metadata?.labels ?? {};
  if (Object.entries(wanted).every(([key, value]) => labels[key] === value)) return [];
  return [["metadata", { ...old.metadata, labels: { ...labels, ...wanted } }]];
}

/** Restores aggregation rules, which roles written by older servers do not have: those have fixed rules. */
function missingAggregation(old: ApiObject, object: ApiObject): [string, unknown][] {
  const { aggregationRule, rules } = object as ClusterRole;
  if (aggregationRule === undefined) return [];
  const present = (old as ClusterRole).aggregationRule?.clusterRoleSelectors ?? [];
  const missing = (aggregationRule.clusterRoleSelectors ?? []).filter(
    (selector) => !present.some((each) => sameJson(each, selector)),
  );
  if (missing.length === 0) return [];
  const selectors = { clusterRoleSelectors: [...present, ...missing] };
  return [
    ["aggregationRule", selectors],
    ["rules", rules],
  ];
}

function listOf(object: ApiObject, field: (typeof lists)[number]): readonly object[] {
  return (object as Partial<ClusterRole & ClusterRoleBinding>)[field] ?? [];
}
