// The front proxy: an authority of its own, by which servers of aggregated APIs know that a request came
// through the API server, so that they believe its headers about the caller. It signs nothing else: a
// certificate of the cluster's root must not let anybody pretend to be others.
import { X509Certificate } from "node:crypto";
import type { Store } from "../../store/store.ts";
import { createAuthority, type KeyPair, openAuthority } from "./authority.ts";

/** The only name that servers of aggregated APIs accept. */
export const frontProxyName = "front-proxy-client";

export interface FrontProxy {
  /** The certificate of the authority (PEM). */
  readonly authority: string;
  /** Returns the certificate of the API server, and its key; another one before it expires. */
  client(): Promise<KeyPair>;
}

const renewBefore = 30 * 24 * 60 * 60 * 1000;

const key = "/cluster/front-proxy";

/** Opens the front proxy of the cluster, which all its servers share. */
export async function openFrontProxy(store: Store, now: () => Date): Promise<FrontProxy> {
  const root = await frontProxyRoot(store, now);
  const authority = await openAuthority(root, { now });
  const issue = async () => {
    const pair = await authority.issueClient({ commonName: frontProxyName });
    return { pair, until: new X509Certificate(pair.certificate).validToDate.getTime() };
  };
  let issued = await issue();
  return {
    authority: root.certificate,
    async client() {
      if (issued.until - now().getTime() < renewBefore) issued = await issue();
      return issued.pair;
    },
  };
}

async function frontProxyRoot(store: Store, now: () => Date): Promise<KeyPair> {
  const stored = await store.get(key);
  if (stored !== undefined) return JSON.parse(Buffer.from(stored.value).toString()) as KeyPair;
  const root = await createAuthority("tandem-front-proxy", { now });
  const { ok } = await store.commit({
    compare: [{ key, modified: 0 }],
    operations: [{ type: "put", key, value: Buffer.from(JSON.stringify(root)) }],
  });
  // The commit failed if another server was first: its authority is the cluster's.
  return ok ? root : await frontProxyRoot(store, now);
}
