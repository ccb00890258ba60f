// Counts how many pods may be evicted under each PodDisruptionBudget.

import { type Again, Controller } from "../../../api/client/controller.ts";
import { isNotFound } from "../../../api/client/errors.ts";
import type { Informer, KeySource } from "../../../api/client/informer.ts";
import { byNamespace } from "../../../api/client/informer.ts";
import { keyOf } from "../../../api/client/objects.ts";
import { rule } from "../../../api/kinds/rbac.ts";
import { compileLabelSelector } from "../../../api/selectors/label-selector.ts";
import type { Pod } from "../../../api/types/core.ts";
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from "../../../api/types/policy.ts";
import { sameJson } from "../../../base/json/value.ts";
import { describeError } from "../../../base/program/errors.ts";
import type { ControllerContext, ControllerEntry } from "../context.ts";
import { budgetStatus, failedStatus, leaveEndsIn } from "./budget.ts";
import { type FindScalable, meantPods, type Scalable } from "./meant-pods.ts";

type Sizes = Pick<Informer<Scalable>, "get" | "mapped">;

export const disruption: ControllerEntry = {
  name: "disruption",
  rights: [rule("update", "policy", "poddisruptionbudgets/status")],
  create: disruptionController,
};

function disruptionController(context: ControllerContext): Controller {
  const { client, informers, clock } = context;
  const resource = client.resource("policy/v1", "PodDisruptionBudget");
  const budgets = informers.of(resource, { indexes: [byNamespace] });
  const pods = informers.of(client.resource("v1", "Pod"), { indexes: [byNamespace] });
  const scalables: Readonly<Record<string, Sizes>> = {
    Deployment: informers.of(client.resource("apps/v1", "Deployment")),
    ReplicaSet: informers.of(client.resource("apps/v1", "ReplicaSet")),
    ReplicationController: informers.of(client.resource("v1", "ReplicationController")),
    StatefulSet: informers.of(client.resource("apps/v1", "StatefulSet")),
  };
  const find: FindScalable = (namespace, { kind, name, uid }) => {
    const informer = Object.hasOwn(scalables, kind) ? scalables[kind] : undefined;
    const found = informer?.get(`${namespace}/${name}`);
    return found?.metadata.uid === uid ? found : undefined;
  };

  const reconcile = async (key: string, signal: AbortSignal): Promise<Again | void> => {
    const budget = budgets.get(key);
    if (budget === undefined) return;
    const status = statusOf(budget);
    if (!sameJson(status, budget.status)) {
      try {
        await resource.updateStatus({ ...budget, status }, { signal });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
    const againInMs = leaveEndsIn(status, clock.now());
    return againInMs === undefined ? undefined : { againInMs };
  };

  const statusOf = (budget: PodDisruptionBudget): PodDisruptionBudgetStatus => {
    const selector = compileLabelSelector(budget.spec.selector);
    const all = pods.by(byNamespace, budget.metadata.namespace);
    const chosen = all.filter((pod) => selector.matches(pod));
    const now = clock.now();
    try {
      return budgetStatus({ budget, pods: chosen, meant: () => meantPods(chosen, find), now });
    } catch (error) {
      return failedStatus(budget, { message: describeError(error), now });
    }
  };

  return new Controller({
    ...context,
    sources: [
      budgets,
      pods.mapped((pod) => budgetsOf(pod, budgets)),
      ...Object.values(scalables).map((informer) => inNamespace(informer, budgets)),
    ],
    reconcile,
  });
}

function budgetsOf(pod: Pod, budgets: Informer<PodDisruptionBudget>): string[] {
  return budgets
    .by(byNamespace, pod.metadata.namespace)
    .filter(({ spec }) => compileLabelSelector(spec.selector).matches(pod))
    .map(keyOf);
}

/** Maps a change of size to all budgets of the namespace: there are few budgets, and few such changes. */
function inNamespace(informer: Sizes, budgets: Informer<PodDisruptionBudget>): KeySource {
  return informer.mapped(({ metadata }) => budgets.by(byNamespace, metadata.namespace).map(keyOf));
}
