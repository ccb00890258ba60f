// Gives cluster roles with an aggregation rule the rules of the roles that it selects.

import { Controller } from "../../../api/client/controller.ts";
import { isNotFound } from "../../../api/client/errors.ts";
import { sameMeaning } from "../../../api/kinds/equality.ts";
import { aggregatedRules } from "../../../api/kinds/rbac.ts";
import type { ControllerContext } from "../context.ts";

export function createRoleAggregationController(context: ControllerContext): Controller {
  const { client, informers } = context;
  const roles = client.resource("rbac.authorization.k8s.io/v1", "ClusterRole");
  const informer = informers.of(roles);

  const reconcile = async (name: string, signal: AbortSignal): Promise<void> => {
    const role = informer.get(name);
    const rules = role && aggregatedRules(role, informer.list());
    if (role === undefined || rules === undefined) return;
    if (sameMeaning(role.rules ?? [], rules)) return;
    const { resourceVersion = "" } = role.metadata;
    try {
      const merge = { metadata: { resourceVersion }, rules };
      await roles.patch({ name }, { merge }, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  };

  // Any role may be one that an aggregated role selects, or selected until now.
  const aggregating = () =>
    informer
      .list()
      .flatMap(({ metadata, aggregationRule }) => (aggregationRule ? [metadata.name] : []));
  return new Controller({
    ...context,
    name: "role-aggregation",
    sources: [informer, informer.mapped(aggregating)],
    reconcile,
  });
}
