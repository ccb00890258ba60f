// The secrets that all servers of a cluster share: the root that signs certificates and the key that signs
// service account tokens. They are in the store, outside of what the API serves, so that a second server on
// the same store needs nothing copied to it.
import type { Store } from "../../store/store.ts";
import { createAuthority, type KeyPair } from "./authority.ts";
import { generateServiceAccountKey } from "./service-account-token.ts";

export interface ClusterSecrets {
  readonly authority: KeyPair;
  readonly serviceAccountKey: string;
}

const key = "/cluster/secrets";

export async function clusterSecrets(store: Store, now: () => Date): Promise<ClusterSecrets> {
  const stored = await store.get(key);
  if (stored !== undefined) return parse(stored.value);
  const secrets: ClusterSecrets = {
    authority: await createAuthority("tandem", { now }),
    serviceAccountKey: generateServiceAccountKey(),
  };
  const value = Buffer.from(JSON.stringify(secrets));
  const { ok } = await store.commit({
    compare: [{ key, modified: 0 }],
    operations: [{ type: "put", key, value }],
  });
  // The commit failed if another server was first: its secrets are the cluster's.
  return ok ? secrets : await clusterSecrets(store, now);
}

/** Returns whether the store holds a cluster. */
export async function hasClusterSecrets(store: Store): Promise<boolean> {
  return (await store.get(key)) !== undefined;
}

function parse(value: Uint8Array): ClusterSecrets {
  return JSON.parse(Buffer.from(value).toString()) as ClusterSecrets;
}
