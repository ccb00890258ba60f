// Quota admission: the usage that a write adds is added to the status of every quota that counts it before the
// object is written. So two writes at once, be it through two servers, cannot both take the rest.

import { formatQuantity, nanosOf, parseQuantity } from "../../../api/fields/quantity.ts";
import type { ApiObject } from "../../../api/kinds/kind.ts";
import { isInScope, type Usage, unsaidResources, usageOf } from "../../../api/kinds/quota.ts";
import type { Pod, ResourceQuota } from "../../../api/types/core.ts";
import type { Item } from "../cache/item.ts";
import type { Core } from "../core.ts";
import { forbidden } from "../errors.ts";
import type { AskedResource } from "../http/exchange.ts";
import { collectionId } from "../keys.ts";
import type { ServedResource } from "../resources/served.ts";
import { mutate, objectOf, type Plan } from "../write/mutate.ts";
import { writeOptions } from "../write/options.ts";

const quotas = collectionId("", "resourcequotas");

/** A write that may use more of its namespace's quotas. */
interface Charge {
  readonly resource: ServedResource;
  readonly namespace: string;
  readonly name: string;
  /** Returns the new object; called only when its content counts, since it may have to be parsed. */
  readonly object: () => ApiObject;
  /** The stored object, of which an update takes only what it adds. */
  readonly old?: Item | undefined;
  readonly dryRun: boolean;
}

/** The kinds of the core group whose usage depends on their content. */
const contentCounts = new Set(["persistentvolumeclaims", "pods", "services"]);
/** The updates in the core group that are charged, by plural and subresource: only a resize changes a pod's usage. */
const chargedUpdates = new Set(["persistentvolumeclaims", "pods/resize", "services"]);

export function hasQuotas(core: Core, namespace: string): boolean {
  return namespace !== "" && core.cache.collection(quotas).list(namespace).length > 0;
}

/**
 * Returns a function that charges the quotas for an update or patch, once however often it is planned. Of
 * subresources only resizes are charged, as in Kubernetes.
 */
export function chargeOnce(
  core: Core,
  exchange: AskedResource,
  resource: ServedResource,
): (old: Item | undefined, plan: Plan) => Promise<void> {
  const { target } = exchange;
  const namespace = resource.namespaced ? (target.namespace ?? "") : "";
  const place = [resource.plural, target.subresource ?? []].flat().join("/");
  const isUpdateCharged = resource.group === "" && chargedUpdates.has(place);
  let isCharged = false;
  return async (old, plan) => {
    const isCreated = old === undefined && target.subresource === undefined;
    if (plan.type !== "put" || isCharged || !(isCreated || isUpdateCharged)) return;
    if (!hasQuotas(core, namespace)) return;
    isCharged = true;
    const { dryRun } = writeOptions(exchange);
    const object = () => objectOf(plan);
    await takeFromQuotas(core, {
      resource,
      namespace,
      name: target.name ?? "",
      object,
      old,
      dryRun,
    });
  };
}

/** Charges the quotas of the namespace for a write; throws when one of them does not allow it. */
export async function takeFromQuotas(core: Core, charge: Charge): Promise<void> {
  const { resource, namespace, dryRun } = charge;
  const items = core.cache.collection(quotas).list(namespace);
  const isContentCounted = resource.group === "" && contentCounts.has(resource.plural);
  const object = isContentCounted ? charge.object() : {};
  const usage = addedUsage(resource, object, charge.old);
  const kept = core.catalogue.find("", "v1", "resourcequotas");
  if (kept === undefined) return;
  for (const { name } of items) {
    await mutate(core, {
      resource: kept,
      namespace,
      name,
      dryRun,
      plan(item) {
        const quota = item?.parse() as ResourceQuota | undefined;
        if (quota === undefined || !isInScope(quota.spec, resource, object))
          return { type: "keep" };
        const used = usedWith(quota, usage, { resource, name: charge.name, object });
        if (used === undefined) return { type: "keep" };
        quota.status = { ...quota.status, used };
        return { type: "put", object: quota };
      },
    });
  }
}

/** Returns the usage of the new object beyond that of the old one. */
function addedUsage(resource: ServedResource, object: ApiObject, old: Item | undefined): Usage {
  const usage = usageOf(resource, object);
  if (old === undefined) return usage;
  const before = usageOf(resource, old.parse());
  const added = Object.entries(usage).map(([name, amount]) => [
    name,
    amount - (before[name] ?? 0n),
  ]);
  return Object.fromEntries(added) as Usage;
}

interface Charged {
  readonly resource: ServedResource;
  readonly name: string;
  readonly object: ApiObject;
}

/** Returns the usage including the object; `undefined` when the quota does not count it. */
function usedWith(
  quota: ResourceQuota,
  usage: Usage,
  { resource, name: objectName, object }: Charged,
): Record<string, string> | undefined {
  const { hard = {}, used = {} } = quota.status ?? {};
  const counted = Object.keys(hard).filter((name) => (usage[name] ?? 0n) > 0n);
  const refuse = (why: string) => forbidden(resource.groupResource, objectName, why);
  if (resource.group === "" && resource.plural === "pods") {
    const unsaid = unsaidResources(hard, object as Pod).toSorted();
    if (unsaid.length > 0) {
      throw refuse(`failed quota: ${quota.metadata.name}: must specify ${unsaid.join("; ")}`);
    }
  }
  if (counted.length === 0) return undefined;
  const amount = (nanos: bigint, like: string) =>
    formatQuantity({ nanos, notation: parseQuantity(like).notation });
  const next = counted.map((name) => {
    const nanos = nanosOf(used[name] ?? "0") + (usage[name] ?? 0n);
    return { name, nanos, isOver: nanos > nanosOf(hard[name] ?? "0") };
  });
  const over = next.filter(({ isOver }) => isOver).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  if (over.length > 0) {
    const list = (value: (name: string) => string) =>
      over.map(({ name }) => `${name}=${value(name)}`).join(",");
    const requested = list((name) => amount(usage[name] ?? 0n, hard[name] ?? "0"));
    const before = list((name) => used[name] ?? "0");
    const limited = list((name) => hard[name] ?? "0");
    throw refuse(
      `exceeded quota: ${quota.metadata.name}, requested: ${requested}, used: ${before}, limited: ${limited}`,
    );
  }
  return {
    ...used,
    ...Object.fromEntries(next.map(({ name, nanos }) => [name, amount(nanos, hard[name] ?? "0")])),
  };
}
