// Quota admission: the usage of a new object is added to the status of every quota that counts it before the
// object is created. So two creations at once, be it through two servers, cannot both take the rest.

import { formatQuantity, nanosOf, parseQuantity } from "../../../api/fields/quantity.ts";
import type { ApiObject } from "../../../api/kinds/kind.ts";
import { isInScope, type Usage, unsaidResources, usageOf } from "../../../api/kinds/quota.ts";
import type { Pod, ResourceQuota } from "../../../api/types/core.ts";
import type { Core } from "../core.ts";
import { forbidden } from "../errors.ts";
import { collectionId } from "../keys.ts";
import type { ServedResource } from "../resources/served.ts";
import { mutate } from "../write/mutate.ts";

const quotas = collectionId("", "resourcequotas");

interface Creation {
  readonly resource: ServedResource;
  readonly namespace: string;
  readonly object: ApiObject;
  readonly dryRun: boolean;
}

export function hasQuotas(core: Core, namespace: string): boolean {
  return namespace !== "" && core.cache.collection(quotas).list(namespace).length > 0;
}

/** Adds a new object to the quotas of its namespace; throws when one of them does not allow it. */
export async function takeFromQuotas(core: Core, creation: Creation): Promise<void> {
  const { resource, namespace, object, dryRun } = creation;
  const items = core.cache.collection(quotas).list(namespace);
  const usage = usageOf(resource, object);
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
        const used = usedWith(quota, usage, creation);
        if (used === undefined) return { type: "keep" };
        quota.status = { ...quota.status, used };
        return { type: "put", object: quota };
      },
    });
  }
}

/** Returns the usage including the object; `undefined` when the quota does not count it. */
function usedWith(
  quota: ResourceQuota,
  usage: Usage,
  { resource, object }: Creation,
): Record<string, string> | undefined {
  const { hard = {}, used = {} } = quota.status ?? {};
  const counted = Object.keys(hard).filter((name) => (usage[name] ?? 0n) > 0n);
  const refuse = (why: string) =>
    forbidden(resource.groupResource, object.metadata?.name ?? "", why);
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
