import type { Core } from "../core.ts";
import { notFound } from "../errors.ts";
import type { ResourceExchange } from "../http/exchange.ts";
import { negotiate } from "../http/negotiate.ts";
import { sendJson } from "../http/respond.ts";
import { awaitFreshness, parseResourceVersion } from "../lists/freshness.ts";
import type { ServedResource } from "../resources/served.ts";
import { chooseView } from "../views/choose.ts";

export async function get(
  core: Core,
  exchange: ResourceExchange,
  resource: ServedResource,
): Promise<void> {
  const { target, info, request } = exchange;
  const form = negotiate(request.headers.accept);
  const view = chooseView(core, resource, { form, query: info.query });
  await awaitFreshness(core, parseResourceVersion(info.query.get("resourceVersion")));
  const namespace = resource.namespaced ? (target.namespace ?? "") : "";
  const name = target.name ?? "";
  const item = core.cache.collection(resource.collection).get(namespace, name);
  if (item === undefined) throw notFound(resource.groupResource, name);
  sendJson(exchange, view.single(item), form);
}
