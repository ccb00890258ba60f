import { defined } from "../../../base/json/defined.ts";
import { sameJson } from "../../../base/json/value.ts";
import type { Cluster, ClusterFields, KubeKey } from "../clusters/cluster.ts";
import { readRequest } from "../clusters/read-request.ts";
import type { ClusterStore } from "../clusters/store.ts";
import { ServiceError } from "../errors.ts";

export interface Outcome {
  /** The cluster as it is now; undefined when it could not be created. */
  readonly cluster?: Cluster;
  /** The reason why the cluster is not as requested. */
  readonly problem?: string;
}

/** Creates or updates the cluster of an object, or returns the problem. */
export async function applyInstall(
  store: ClusterStore,
  kube: KubeKey,
  request: object,
): Promise<Outcome> {
  const present = await store.findByKube(kube);
  try {
    const fields = readRequest(request);
    if (present === undefined) return { cluster: await store.create(fields, kube) };
    if (isSame(present, fields)) return { cluster: present };
    return { cluster: await store.update(present.id, present.generation, fields) };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.reason !== "Invalid") throw error;
    return { ...defined({ cluster: present }), problem: error.message };
  }
}

/** Leaves the cluster of an object, if there is one, unchanged because of a problem. */
export async function refuseInstall(
  store: ClusterStore,
  kube: KubeKey,
  problem: string,
): Promise<Outcome> {
  const present = await store.findByKube(kube);
  return { ...defined({ cluster: present }), problem };
}

/** Deletes the cluster of an object that was deleted. */
export async function withdrawInstall(store: ClusterStore, kube: KubeKey): Promise<void> {
  const present = await store.findByKube(kube);
  if (present !== undefined) await store.delete(present.id, present.generation);
}

function isSame(cluster: Cluster, fields: ClusterFields): boolean {
  return sameJson({ ...cluster, ...fields }, cluster);
}
