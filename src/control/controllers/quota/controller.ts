// Recounts what the objects of a namespace use of its quotas. The API server adds new objects when they are
// created; this recount gives back what deleted ones used.

import { type Again, Controller } from "../../../api/client/controller.ts";
import { isConflict, isNotFound } from "../../../api/client/errors.ts";
import { byNamespace } from "../../../api/client/informer.ts";
import { keyOf } from "../../../api/client/objects.ts";
import { formatQuantity, parseQuantity } from "../../../api/fields/quantity.ts";
import type { ApiObject } from "../../../api/kinds/kind.ts";
import {
  addUsage,
  type Counted,
  countName,
  isInScope,
  type Usage,
  usageOf,
} from "../../../api/kinds/quota.ts";
import { rule } from "../../../api/kinds/rbac.ts";
import type { ResourceQuota, ResourceQuotaStatus } from "../../../api/types/core.ts";
import { sameJson } from "../../../base/json/value.ts";
import type { ControllerContext, ControllerEntry } from "../context.ts";
import { createServedResources } from "../served-resources.ts";
import { GiveBack } from "./give-back.ts";

/** The watched kinds that count, each with its apiVersion. */
const countedKinds = [
  { group: "", plural: "pods", apiVersion: "v1", kind: "Pod" },
  { group: "", plural: "services", apiVersion: "v1", kind: "Service" },
  { group: "", plural: "configmaps", apiVersion: "v1", kind: "ConfigMap" },
  { group: "", plural: "secrets", apiVersion: "v1", kind: "Secret" },
  { group: "", plural: "replicationcontrollers", apiVersion: "v1", kind: "ReplicationController" },
  { group: "", plural: "persistentvolumeclaims", apiVersion: "v1", kind: "PersistentVolumeClaim" },
  { group: "apps", plural: "deployments", apiVersion: "apps/v1", kind: "Deployment" },
  { group: "apps", plural: "replicasets", apiVersion: "apps/v1", kind: "ReplicaSet" },
  { group: "apps", plural: "statefulsets", apiVersion: "apps/v1", kind: "StatefulSet" },
  { group: "batch", plural: "jobs", apiVersion: "batch/v1", kind: "Job" },
  { group: "batch", plural: "cronjobs", apiVersion: "batch/v1", kind: "CronJob" },
] as const;

const watched = new Set([...countedKinds.map(countName), "count/resourcequotas"]);
const recountMs = 30_000;
const one = 1_000_000_000n;

export const quotaCounting: ControllerEntry = {
  name: "quota",
  rights: [rule("update", "core", "resourcequotas/status")],
  create: quotaController,
};

function quotaController(context: ControllerContext): Controller {
  const { client, informers, clock } = context;
  const resource = client.resource("v1", "ResourceQuota");
  const quotas = informers.of(resource, { indexes: [byNamespace] });
  const sources = countedKinds.map(({ group, plural, apiVersion, kind }) => ({
    counted: { group, plural },
    informer: informers.of(client.resource(apiVersion, kind), { indexes: [byNamespace] }),
  }));
  const served = context.shared(createServedResources);
  const giveBack = new GiveBack();
  const quotasOf = (namespace: string) => quotas.by(byNamespace, namespace).map(keyOf);

  const reconcile = async (key: string, signal: AbortSignal): Promise<Again | void> => {
    const quota = quotas.get(key);
    if (quota === undefined) {
      giveBack.forget(key);
      return;
    }
    const { namespace, resourceVersion: version = "" } = quota.metadata;
    const all: [Counted, readonly ApiObject[]][] = [
      [{ group: "", plural: "resourcequotas" }, quotas.by(byNamespace, namespace)],
      ...sources.map(({ counted: what, informer }): [Counted, readonly ApiObject[]] => [
        what,
        informer.by(byNamespace, namespace),
      ]),
    ];
    const rest = await countOthers(quota, signal);
    const recount = quotaStatus(quota, all, rest);
    const { used: counted = {} } = recount;
    const { used: charged = {} } = quota.status ?? {};
    const nowMs = clock.monotonic();
    const decided = giveBack.decide(key, { version, charged, counted, nowMs });
    const status = { ...recount, used: decided.used };
    const againInMs = decided.againInMs ?? (Object.keys(rest).length === 0 ? 0 : recountMs);
    const again = againInMs === 0 ? undefined : { againInMs };
    if (sameJson(status, quota.status)) return again;
    try {
      await resource.updateStatus({ ...quota, status }, { signal });
    } catch (error) {
      // The server has counted meanwhile; its change queues the quota again.
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
    return again;
  };

  /** Counts objects of kinds that are not watched here, mostly custom ones, from time to time. */
  const countOthers = async (quota: ResourceQuota, signal: AbortSignal): Promise<Usage> => {
    const names = Object.keys(quota.spec.hard ?? {}).filter(
      (name) => name.startsWith("count/") && !watched.has(name),
    );
    if (names.length === 0) return {};
    const resources = await served.all(signal);
    const usage: Record<string, bigint> = {};
    for (const definition of resources) {
      const name = countName(definition);
      if (!names.includes(name) || !definition.namespaced) continue;
      const { namespace } = quota.metadata;
      const { items } = await client.metadata(definition).listAll({ namespace, signal });
      usage[name] = BigInt(items.length) * one;
    }
    return usage;
  };

  return new Controller({
    ...context,
    sources: [
      quotas,
      ...sources.map(({ informer }) =>
        informer.mapped(({ metadata }) => quotasOf(metadata.namespace)),
      ),
    ],
    reconcile,
  });
}

export function quotaStatus(
  { spec }: ResourceQuota,
  all: readonly (readonly [Counted, readonly ApiObject[]])[],
  others: Usage = {},
): ResourceQuotaStatus {
  const hard = spec.hard ?? {};
  let usage = others;
  for (const [what, objects] of all) {
    for (const object of objects) {
      if (isInScope(spec, what, object)) usage = addUsage(usage, usageOf(what, object));
    }
  }
  const used = Object.entries(hard).map(([name, amount]) => [
    name,
    formatQuantity({ nanos: usage[name] ?? 0n, notation: parseQuantity(amount).notation }),
  ]);
  return { hard, used: Object.fromEntries(used) as Record<string, string> };
}
