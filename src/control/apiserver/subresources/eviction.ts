// Eviction: deletes a pod, unless its disruption budget does not allow it.
import { timestamp } from "../../../api/fields/timestamp.ts";
import { compileLabelSelector } from "../../../api/selectors/label-selector.ts";
import type { Pod } from "../../../api/types/core.ts";
import type { Eviction, PodDisruptionBudget } from "../../../api/types/policy.ts";
import { admitDynamically } from "../admission/dynamic.ts";
import type { Core } from "../core.ts";
import { internal, notFound, tooManyRequests } from "../errors.ts";
import type { ResourceExchange } from "../http/exchange.ts";
import { sendObject } from "../http/respond.ts";
import { awaitFreshness } from "../lists/freshness.ts";
import type { ServedResource } from "../resources/served.ts";
import { deleteObject } from "../verbs/delete.ts";
import { type DeleteOptions, parseDeleteOptions } from "../write/delete-options.ts";
import { mutate } from "../write/mutate.ts";
import { readSubresource } from "./read.ts";

const evictions = { group: "policy", kind: "Eviction", older: ["policy/v1beta1"] };

export async function evict(
  core: Core,
  exchange: ResourceExchange,
  resource: ServedResource,
): Promise<void> {
  const eviction = (await readSubresource(exchange, evictions)) as Eviction;
  const options = parseDeleteOptions({
    ...eviction.deleteOptions,
    dryRun: [...(eviction.deleteOptions?.dryRun ?? []), ...exchange.info.query.getAll("dryRun")],
  });
  const { namespace = "", name = "" } = exchange.target;
  await awaitFreshness(core, undefined);
  const item = core.cache.collection(resource.collection).get(namespace, name);
  if (item === undefined) throw notFound(resource.groupResource, name);
  const pod = item.parse() as Pod;
  const { dryRun } = options;
  await admitDynamically(core, exchange, {
    operation: "CREATE",
    resource,
    object: eviction,
    dryRun,
  });
  if (needsLeave(pod)) await askBudget(core, pod, options);
  await deleteObject(core, exchange, { resource, namespace, name, options, isAdmitted: true });
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };
  sendObject(exchange, status, 201);
}

/** Returns whether a budget applies: not to pods that do not run or are already being deleted. */
function needsLeave({ metadata, status }: Pod): boolean {
  const phase = status?.phase ?? "Pending";
  return metadata.deletionTimestamp === undefined && phase === "Running";
}

async function askBudget(core: Core, pod: Pod, { dryRun }: DeleteOptions): Promise<void> {
  const resource = core.catalogue.find("policy", "v1", "poddisruptionbudgets");
  if (resource === undefined) return;
  const { namespace, name } = pod.metadata;
  const budgets = core.cache
    .collection(resource.collection)
    .list(namespace)
    .map((item) => item.parse() as PodDisruptionBudget)
    .filter(({ spec }) => compileLabelSelector(spec?.selector).matches(pod));
  const [budget, another] = budgets;
  if (budget === undefined) return;
  if (another !== undefined) {
    throw internal(
      new Error(
        "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
      ),
    );
  }
  await mutate(core, {
    resource,
    namespace,
    name: budget.metadata.name,
    dryRun,
    plan(item) {
      if (item === undefined) return { type: "keep" };
      const object = item.parse() as PodDisruptionBudget;
      if (isUnreadyAndMayGo(pod, object)) return { type: "keep" };
      spend(object, name, core.settings.now());
      return { type: "put", object };
    },
  });
}

/** Returns whether an unready pod may go without the budget, by policy or since others are healthy. */
function isUnreadyAndMayGo({ status }: Pod, budget: PodDisruptionBudget): boolean {
  const conditions = status?.conditions ?? [];
  if (conditions.some((each) => each.type === "Ready" && each.status === "True")) return false;
  if (budget.spec?.unhealthyPodEvictionPolicy === "AlwaysAllow") return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = budget.status ?? {};
  return currentHealthy >= desiredHealthy && desiredHealthy > 0;
}

/** Takes one disruption from the budget; the controller counts again when the pod is gone. */
function spend(budget: PodDisruptionBudget, pod: string, now: Date): void {
  const { status, metadata } = budget;
  const isObserved = (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  if (status === undefined || !isObserved) {
    throw refusal(budget, "is still being processed by the server.", countingSeconds);
  }
  if (status.disruptedPods?.[pod] !== undefined) return;
  if ((status.disruptionsAllowed ?? 0) <= 0) {
    const { desiredHealthy = 0, currentHealthy = 0 } = status;
    throw refusal(
      budget,
      `needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`,
    );
  }
  status.disruptionsAllowed = (status.disruptionsAllowed ?? 0) - 1;
  status.disruptedPods = { ...status.disruptedPods, [pod]: timestamp(now) };
}

const countingSeconds = 10;

/** Makes the refusal, mostly without a retry time: nobody knows when pods will be ready. */
function refusal({ metadata }: PodDisruptionBudget, state: string, retryAfterSeconds = 0) {
  const message = `The disruption budget ${metadata.name} ${state}`;
  const refused = "Cannot evict pod as it would violate the pod's disruption budget.";
  return tooManyRequests(refused, retryAfterSeconds, [{ reason: "DisruptionBudget", message }]);
}
