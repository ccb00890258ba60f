// The token subresource of service accounts.
import { timestamp } from "../../../api/fields/timestamp.ts";
import type { TokenRequest } from "../../../api/types/authentication.ts";
import { admitDynamically } from "../admission/dynamic.ts";
import type { Core } from "../core.ts";
import { invalid, notFound, unavailable } from "../errors.ts";
import type { ResourceExchange } from "../http/exchange.ts";
import { sendObject } from "../http/respond.ts";
import { awaitFreshness } from "../lists/freshness.ts";
import type { ServedResource } from "../resources/served.ts";
import { admit } from "../write/prepare.ts";
import { boundObject } from "./bound-object.ts";
import { readSubresource } from "./read.ts";

const tokenRequests = { group: "authentication.k8s.io", kind: "TokenRequest" };
const hour = 3600;
const shortest = 600;
const longest = 1 << 30;

export async function issueToken(
  core: Core,
  exchange: ResourceExchange,
  resource: ServedResource,
): Promise<void> {
  const { namespace = "", name = "" } = exchange.target;
  const body = (await readSubresource(exchange, tokenRequests)) as TokenRequest;
  await awaitFreshness(core, undefined);
  const item = core.cache.collection(resource.collection).get(namespace, name);
  if (item === undefined) throw notFound(resource.groupResource, name);
  const { serviceAccounts } = core.access;
  if (serviceAccounts === undefined) throw unavailable("this server issues no tokens");
  const bound = boundObject(core, { namespace, name }, body);
  admit(core, exchange, { new: body });
  await admitDynamically(core, exchange, { operation: "CREATE", resource, object: body });
  const expirationSeconds = body.spec?.expirationSeconds ?? hour;
  checkLifetime(expirationSeconds, name);
  const { token, expires } = await serviceAccounts.issue(
    { namespace, name, uid: item.parse().metadata?.uid ?? "", ...bound },
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
