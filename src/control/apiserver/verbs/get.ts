import type { Core } from "../core.ts";
import { notFound } from "../errors.ts";
import type { ResourceExchange } from "../http/exchange.ts";
import { awaitFreshness, parseResourceVersion } from "../lists/freshness.ts";
import type { ServedResource } from "../resources/served.ts";
import { facetOf } from "../subresources/facet.ts";
import { answerWith } from "../views/answer.ts";

export async function get(
  core: Core,
  exchange: ResourceExchange,
  resource: ServedResource,
): Promise<void> {
  const { target, info } = exchange;
  const facet = facetOf(resource, target.subresource);
  const answer = answerWith(core, exchange, { resource, facet });
  await awaitFreshness(core, parseResourceVersion(info.query.get("resourceVersion")));
  const namespace = resource.namespaced ? (target.namespace ?? "") : "";
  const name = target.name ?? "";
  const item = core.cache.collection(resource.collection).get(namespace, name);
  if (item === undefined) throw notFound(resource.groupResource, name);
  await answer(item);
}
