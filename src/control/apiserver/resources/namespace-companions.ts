// The companion of a namespace: its default service account, so that the first pod need not wait for one.
import type { ClusterSettings } from "../../../api/kinds/kind.ts";
import type { ServiceAccount } from "../../../api/types/core.ts";
import type { Cache } from "../cache/cache.ts";
import { encodeStored } from "../cache/item.ts";
import { collectionId, objectKey } from "../keys.ts";
import { beginLife } from "../write/lifecycle.ts";
import type { CompanionsOf } from "./companions.ts";

const accounts = collectionId("", "serviceaccounts");
const name = "default";

export function namespaceCompanions(cache: Cache, settings: ClusterSettings): CompanionsOf {
  const collection = cache.collection(accounts);
  return ({ old, new: created }) => {
    const namespace = created?.metadata?.name ?? "";
    const isBorn = old === undefined && collection.get(namespace, name) === undefined;
    if (!isBorn) return { compare: [], operations: [] };
    const key = objectKey(accounts, namespace, name);
    const account = defaultAccount(namespace);
    beginLife(account, { hasGeneration: false }, { namespace, now: settings.now() });
    const value = encodeStored(account);
    return { compare: [{ key, modified: 0 }], operations: [{ type: "put", key, value }] };
  };
}

export function defaultAccount(namespace: string): ServiceAccount {
  return { apiVersion: "v1", kind: "ServiceAccount", metadata: { namespace, name } };
}
