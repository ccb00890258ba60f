// The graph of owners and dependents among all objects.

import type { ObjectMeta, OwnerReference } from "../../../api/types/meta.ts";
import type { ServedResource } from "../served-resources.ts";

export interface GraphItem {
  readonly resource: ServedResource;
  readonly uid: string;
  readonly name: string;
  /** The namespace; "" for cluster-scoped objects. */
  readonly namespace: string;
  readonly version: string;
  readonly owners: readonly OwnerReference[];
  readonly finalizers: readonly string[];
  readonly isDeleting: boolean;
}

export function itemOf(resource: ServedResource, metadata: ObjectMeta): GraphItem {
  const { uid = "", name = "", namespace = "", resourceVersion = "" } = metadata;
  return {
    resource,
    uid,
    name,
    namespace,
    version: resourceVersion,
    owners: metadata.ownerReferences ?? [],
    finalizers: metadata.finalizers ?? [],
    isDeleting: metadata.deletionTimestamp !== undefined,
  };
}

export class OwnerGraph {
  readonly #items = new Map<string, GraphItem>();
  /** The dependents by the uid of their owner, whether or not it exists. */
  readonly #dependents = new Map<string, Set<string>>();

  get(uid: string): GraphItem | undefined {
    return this.#items.get(uid);
  }

  put(item: GraphItem): void {
    const before = this.#items.get(item.uid);
    if (before !== undefined) this.#unlink(before);
    this.#items.set(item.uid, item);
    for (const { uid } of item.owners) {
      const dependents = this.#dependents.get(uid);
      if (dependents === undefined) this.#dependents.set(uid, new Set([item.uid]));
      else dependents.add(item.uid);
    }
  }

  remove(uid: string): void {
    const item = this.#items.get(uid);
    if (item === undefined) return;
    this.#unlink(item);
    this.#items.delete(uid);
  }

  dependentsOf(uid: string): GraphItem[] {
    return [...(this.#dependents.get(uid) ?? [])].flatMap((each) => this.#items.get(each) ?? []);
  }

  #unlink({ uid, owners }: GraphItem): void {
    for (const owner of owners) {
      const dependents = this.#dependents.get(owner.uid);
      dependents?.delete(uid);
      if (dependents?.size === 0) this.#dependents.delete(owner.uid);
    }
  }
}
