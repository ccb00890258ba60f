// The rights of the controllers, which share one user.

import { read, rule } from "../../api/kinds/rbac.ts";
import type { PolicyRule } from "../../api/types/rbac.ts";
import type { ControllerEntry } from "./context.ts";

/** The rights of all controllers: garbage collection and deletion of namespaces are about every kind there is. */
const common: readonly PolicyRule[] = [
  rule(`${read} patch delete deletecollection`, "*", "*"),
  // For leader election.
  rule("create update", "coordination.k8s.io", "leases"),
  rule("create update", "core events.k8s.io", "events"),
];

/** Returns the rules of a role for these controllers, each one once. */
export function rightsOf(entries: readonly ControllerEntry[]): readonly PolicyRule[] {
  const rules = [...common, ...entries.flatMap(({ rights = [] }) => rights)];
  return [...new Map(rules.map((each) => [JSON.stringify(each), each])).values()];
}
