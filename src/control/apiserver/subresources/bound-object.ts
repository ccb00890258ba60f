// The object that a service account token is bound to: the token is valid only as long as it exists.
import type { TokenRequest } from "../../../api/types/authentication.ts";
import type { Pod } from "../../../api/types/core.ts";
import type { Core } from "../core.ts";
import { badRequest, conflict, notFound } from "../errors.ts";
import { collectionId } from "../keys.ts";
import type { ServiceAccountTokenIssuer } from "../ports.ts";

type Identity = Parameters<ServiceAccountTokenIssuer["issue"]>[0];
export type Bound = Pick<Identity, "pod" | "secret" | "node">;

const plurals: Readonly<Record<string, string>> = { Pod: "pods", Secret: "secrets", Node: "nodes" };

export function boundObject(
  core: Core,
  account: { readonly namespace: string; readonly name: string },
  { spec }: TokenRequest,
): Bound {
  if (spec?.boundObjectRef === undefined) return {};
  const { kind = "", name = "", uid: meant } = spec.boundObjectRef;
  const plural = Object.hasOwn(plurals, kind) ? plurals[kind] : undefined;
  if (plural === undefined) throw badRequest(`cannot bind token to object of type ${kind}`);
  const namespace = kind === "Node" ? "" : account.namespace;
  const resource = { group: "", name: plural };
  const item = core.cache.collection(collectionId("", plural)).get(namespace, name);
  if (item === undefined) throw notFound(resource, name);
  const object = item.parse();
  const uid = object.metadata?.uid ?? "";
  if (meant && meant !== uid) {
    const state = `the UID in the bound object reference (${meant}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict(resource, name, state);
  }
  if (kind === "Secret") return { secret: { name, uid } };
  if (kind === "Node") return { node: { name, uid } };
  return boundPod(core, object as Pod, account.name);
}

/** Returns the pod with the node it runs on. */
function boundPod(core: Core, { metadata, spec }: Pod, account: string): Bound {
  const { name, uid = "" } = metadata;
  const { nodeName = "", serviceAccountName: its = "" } = spec;
  if (its !== account) {
    throw badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(account)} to pod running with different serviceaccount name ${JSON.stringify(its)}`,
    );
  }
  const node = core.cache.collection(collectionId("", "nodes")).get("", nodeName);
  const where = node && { name: nodeName, uid: node.parse().metadata?.uid ?? "" };
  return { pod: { name, uid }, ...(where && { node: where }) };
}
