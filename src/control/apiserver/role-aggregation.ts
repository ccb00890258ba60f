// Fills cluster roles that have an aggregation rule with the rules of the roles it selects. The server does
// so itself: a controller with the permission to grant anything could abuse it.
import { sameMeaning } from "../../api/kinds/equality.ts";
import { aggregatedRules } from "../../api/kinds/rbac.ts";
import type { ClusterRole } from "../../api/types/rbac.ts";
import type { Core } from "./core.ts";
import { collectionId } from "./keys.ts";
import { OwnWork } from "./own-work.ts";
import { writeOwn } from "./write/own-object.ts";

const group = "rbac.authorization.k8s.io";
const roles = collectionId(group, "clusterroles");

export function roleAggregation(core: Core): OwnWork {
  return new OwnWork(core, {
    collections: [roles],
    complaint: "Cannot gather the rules of a cluster role",
    async round() {
      const all = rolesOf(core);
      for (const role of all) {
        const rules = aggregatedRules(role, all);
        if (rules === undefined || sameMeaning(role.rules ?? [], rules)) continue;
        await write(core, role.metadata.name);
      }
    },
  });
}

async function write(core: Core, name: string): Promise<void> {
  const resource = core.catalogue.find(group, "v1", "clusterroles");
  if (resource === undefined) return;
  await writeOwn(core, {
    resource,
    namespace: "",
    name,
    desire: (old) => {
      const rules = old && aggregatedRules(old as ClusterRole, rolesOf(core));
      return rules && Object.assign(old, { rules });
    },
  });
}

function rolesOf(core: Core): ClusterRole[] {
  return core.cache
    .collection(roles)
    .list()
    .map((item) => item.parse() as ClusterRole);
}
