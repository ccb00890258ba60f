// What a pod or a service account can be asked for besides being read and written.

import type { TokenRequest, TokenRequestSpec } from "../types/authentication.ts";
import type { Pod, ServiceAccount } from "../types/core.ts";
import type { Place } from "./objects.ts";
import type { DeleteOptions, WriteOptions } from "./options.ts";
import type { ResourceClient } from "./resource-client.ts";

/** Places a pod on a node. Fails with isConflict if it is on one already, or is another by now. */
export async function bindPod(
  pods: ResourceClient<Pod>,
  pod: Place<Pod> & { readonly uid?: string },
  { node, ...options }: WriteOptions & { readonly node: string },
): Promise<void> {
  const { namespace, name, uid } = pod;
  const target = { apiVersion: "v1", kind: "Node", name: node };
  const metadata = { namespace, name, ...(uid === undefined ? {} : { uid }) };
  const body = { apiVersion: "v1", kind: "Binding", metadata, target };
  await pods.createInside({ namespace, name, subresource: "binding" }, body, options);
}

/** Deletes a pod unless a disruption budget speaks against it: isTooManyRequests. */
export async function evictPod(
  pods: ResourceClient<Pod>,
  pod: Place<Pod>,
  options: DeleteOptions = {},
): Promise<void> {
  const { signal, timeoutMs, dryRun = false, ...deleteOptions } = options;
  const { namespace, name } = pod;
  const body = {
    apiVersion: "policy/v1",
    kind: "Eviction",
    metadata: { namespace, name },
    deleteOptions: { ...deleteOptions, ...(dryRun ? { dryRun: ["All"] } : {}) },
  };
  const target = { namespace, name, subresource: "eviction" };
  await pods.createInside(target, body, { signal, timeoutMs, dryRun });
}

/** A token by which whoever holds it is the service account. */
export async function requestToken(
  accounts: ResourceClient<ServiceAccount>,
  account: Place<ServiceAccount>,
  { spec, ...options }: WriteOptions & { readonly spec: TokenRequestSpec },
): Promise<{ readonly token: string; readonly expires: Date }> {
  const { namespace, name } = account;
  const body: TokenRequest = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec };
  const target = { namespace, name, subresource: "token" };
  const { status } = await accounts.createInside(target, body, options);
  return { token: status?.token ?? "", expires: new Date(status?.expirationTimestamp ?? 0) };
}
