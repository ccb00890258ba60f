// Subresources of pods and service accounts: bind, evict, request a token.

import { defined } from "../../base/json/defined.ts";
import type { TokenRequest, TokenRequestSpec } from "../types/authentication.ts";
import type { Pod, ServiceAccount } from "../types/core.ts";
import type { Place } from "./objects.ts";
import type { WriteOptions } from "./options.ts";
import type { ResourceClient } from "./resource-client.ts";

/** Binds a pod to a node. Fails with isConflict if it is bound already, or has been replaced by another. */
export async function bindPod(
  pods: ResourceClient<Pod>,
  pod: Place<Pod> & { readonly uid?: string },
  { node, ...options }: WriteOptions & { readonly node: string },
): Promise<void> {
  const { namespace, name, uid } = pod;
  const target = { apiVersion: "v1", kind: "Node", name: node };
  const metadata = { namespace, name, ...defined({ uid }) };
  const body = { apiVersion: "v1", kind: "Binding", metadata, target };
  await pods.createInside({ namespace, name, subresource: "binding" }, body, options);
}

/** Requests a token of a service account. */
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
