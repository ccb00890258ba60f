import type { Client } from "../../../api/client/client.ts";
import { isForbidden, isNotFound } from "../../../api/client/errors.ts";
import { type ClusterObjects, type KindName, noObjects } from "../model/cluster.ts";
import { sourcesOf } from "./sources.ts";

/** Reads all kinds once; those that the user may not read are left out, and named as unread. */
export async function readCluster(
  client: Client,
  { namespace, signal }: { readonly namespace: string | undefined; readonly signal: AbortSignal },
): Promise<ClusterObjects> {
  const unread = new Set<KindName>();
  const lists = await Promise.all(
    sourcesOf(client, namespace).map(async ({ kind, resource, selection, transform }) => {
      try {
        const { items } = await resource.listAll({ ...selection, signal });
        return [kind, items.map(transform)] as const;
      } catch (error) {
        if (!isForbidden(error) && !isNotFound(error)) throw error;
        if (isForbidden(error)) unread.add(kind as KindName);
        return [kind, []] as const;
      }
    }),
  );
  return { ...noObjects, ...(Object.fromEntries(lists) as ReadLists), unread };
}

type ReadLists = Pick<ClusterObjects, KindName>;
