// Roles and bindings that come with the server get what they lack at every start: a newer server may
// need more than the one that wrote them. What others have added stays.

import type { ApiObject } from "../../api/kinds/kind.ts";
import type { ClusterRole, ClusterRoleBinding } from "../../api/types/rbac.ts";
import { sameJson } from "../../base/json/value.ts";
import type { BootstrapObject } from "./bootstrap-objects.ts";
import type { Core } from "./core.ts";
import { writeOwn } from "./write/own-object.ts";

const autoupdate = "rbac.authorization.kubernetes.io/autoupdate";
const lists = ["rules", "subjects"] as const;

export async function restoreRoles(core: Core, wanted: readonly BootstrapObject[]): Promise<void> {
  for (const { group, version, plural, object } of wanted) {
    const resource = core.catalogue.find(group, version, plural);
    const { name = "", annotations } = object.metadata ?? {};
    if (resource === undefined || annotations?.[autoupdate] === undefined) continue;
    await writeOwn(core, {
      resource,
      namespace: "",
      name,
      desire: (old) => old && completed(old, object),
    });
  }
}

/** `undefined` when nothing is missing, or nobody wants it to be put back. */
function completed(old: ApiObject, object: ApiObject): ApiObject | undefined {
  if (old.metadata?.annotations?.[autoupdate] !== "true") return undefined;
  const changes = lists.flatMap((field) => {
    const present = listOf(old, field);
    const missing = listOf(object, field).filter(
      (one) => !present.some((each) => sameJson(each, one)),
    );
    return missing.length === 0 ? [] : [[field, [...present, ...missing]] as const];
  });
  return changes.length === 0 ? undefined : Object.assign(old, Object.fromEntries(changes));
}

function listOf(object: ApiObject, field: (typeof lists)[number]): readonly object[] {
  return (object as Partial<ClusterRole & ClusterRoleBinding>)[field] ?? [];
}
