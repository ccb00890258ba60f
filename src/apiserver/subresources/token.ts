// Tokens for service accounts.
import type { TokenRequest } from "../../api/types/authentication.ts";
import type { Pod } from "../../api/types/core.ts";
import type { Core } from "../core.ts";
import { badRequest, conflict, invalid, notFound, unavailable } from "../errors.ts";
import type { ResourceExchange } from "../http/exchange.ts";
import { sendObject } from "../http/respond.ts";
import { collectionId } from "../keys.ts";
import { awaitFreshness } from "../lists/freshness.ts";
import type { ServedResource } from "../resources/served.ts";
import { timestamp } from "../write/lifecycle.ts";
import { admit } from "../write/prepare.ts";
import { readSubresource } from "./read.ts";

const hour = 3600;
const shortest = 600;
const longest = 1 << 30;

export async function issueToken(
  core: Core,
  exchange: ResourceExchange,
  resource: ServedResource,
): Promise<void> {
  const { namespace = "", name = "" } = exchange.target;
  const body = (await readSubresource(
    exchange,
    "authentication.k8s.io",
    "TokenRequest",
  )) as TokenRequest;
  await awaitFreshness(core, undefined);
  const item = core.cache.collection(resource.collection).get(namespace, name);
  if (item === undefined) throw notFound(resource.groupResource, name);
  const { serviceAccounts } = core.access;
  if (serviceAccounts === undefined) throw unavailable("this server issues no tokens");
  const pod = boundPod(core, exchange.target, body);
  admit(core, exchange, { new: body });
  const expirationSeconds = body.spec?.expirationSeconds ?? hour;
  checkLifetime(expirationSeconds, name);
  const { token, expires } = await serviceAccounts.issue(
    { namespace, name, uid: item.parse().metadata?.uid ?? "", ...boundTo(core, pod) },
    { audiences: body.spec?.audiences ?? [], lifetimeSeconds: expirationSeconds },
  );
  const status = { token, expirationTimestamp: timestamp(expires) };
  const metadata = { name, namespace, creationTimestamp: timestamp(core.settings.now()) };
  sendObject(
    exchange,
    { ...body, metadata, spec: { ...body.spec, expirationSeconds }, status },
    201,
  );
}

function checkLifetime(seconds: number, name: string): void {
  if (seconds >= shortest && seconds <= longest) return;
  const detail =
    seconds < shortest
      ? "may not specify a duration less than 10 minutes"
      : "may not specify a duration larger than 2^32 seconds";
  throw invalid({ group: "authentication.k8s.io", name: "TokenRequest" }, name, [
    { type: "FieldValueInvalid", field: "spec.expirationSeconds", value: seconds, detail },
  ]);
}

/** A token that is bound to a pod ends with it. */
function boundPod(
  core: Core,
  { namespace = "", name: account = "" }: ResourceExchange["target"],
  { spec }: TokenRequest,
): Pod | undefined {
  const bound = spec?.boundObjectRef;
  if (bound?.kind !== "Pod" || bound.name === undefined) return undefined;
  const item = core.cache.collection(collectionId("", "pods")).get(namespace, bound.name);
  if (item === undefined) throw notFound({ group: "", name: "pods" }, bound.name);
  const pod = item.parse() as Pod;
  const { uid = "" } = pod.metadata;
  if (bound.uid && bound.uid !== uid) {
    const state = `the UID in the bound object reference (${bound.uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict({ group: "", name: "pods" }, bound.name, state);
  }
  const its = pod.spec.serviceAccountName ?? "";
  if (its !== account) {
    throw badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(account)} to pod running with different serviceaccount name ${JSON.stringify(its)}`,
    );
  }
  return pod;
}

/** What the token tells of where it is used. */
function boundTo(core: Core, pod: Pod | undefined) {
  if (pod === undefined) return {};
  const { name, uid = "" } = pod.metadata;
  const { nodeName = "" } = pod.spec;
  const node = core.cache.collection(collectionId("", "nodes")).get("", nodeName);
  return {
    pod: { name, uid },
    ...(node && { node: { name: nodeName, uid: node.parse().metadata?.uid ?? "" } }),
  };
}
