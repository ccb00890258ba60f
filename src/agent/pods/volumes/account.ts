// What a pod is given to speak to the API as its account, unless it, or the account, wants none.

import type { Pod, ServiceAccount, Volume } from "../../../api/types/core.ts";
import type { Client } from "../../../client/client.ts";
import { isNotFound } from "../../../client/errors.ts";

export const accountPath = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Not a name that a pod could have given. */
const volumeName = "account.tandem";
const tokenSeconds = 3607;

export const accountVolume: Volume = {
  name: volumeName,
  projected: {
    sources: [
      { serviceAccountToken: { path: "token", expirationSeconds: tokenSeconds } },
      { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
      {
        downwardAPI: {
          items: [{ path: "namespace", fieldRef: { fieldPath: "metadata.namespace" } }],
        },
      },
    ],
  },
};

export async function wantsAccount({ metadata, spec }: Pod, client: Client): Promise<boolean> {
  const { serviceAccountName: name, automountServiceAccountToken: own } = spec;
  if (name === undefined || own === false || isMountedByAll(spec)) return false;
  const accounts = client.resource("v1", "ServiceAccount");
  const account = await found(accounts.get({ namespace: metadata.namespace, name }));
  return account !== undefined && (own ?? account.automountServiceAccountToken ?? true);
}

/** A server may have seen to it already. */
function isMountedByAll({ containers, initContainers = [] }: Pod["spec"]): boolean {
  return [...containers, ...initContainers].every(({ volumeMounts = [] }) =>
    volumeMounts.some(({ mountPath }) => mountPath === accountPath),
  );
}

async function found(account: Promise<ServiceAccount>): Promise<ServiceAccount | undefined> {
  try {
    return await account;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
