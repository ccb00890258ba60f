import { chargeOnce } from "../admission/quota.ts";
import type { Core } from "../core.ts";
import { planned, readWriting } from "../heavy/plan.ts";
import type { ResourceExchange } from "../http/exchange.ts";
import type { ServedResource } from "../resources/served.ts";
import { facetOf } from "../subresources/facet.ts";
import { answerWith } from "../views/answer.ts";
import { mutate } from "../write/mutate.ts";
import { writeOptions } from "../write/options.ts";

/** Replaces an object, or the part of it a subresource stands for. */
export async function update(
  core: Core,
  exchange: ResourceExchange,
  resource: ServedResource,
): Promise<void> {
  const { target } = exchange;
  const facet = facetOf(resource, target.subresource);
  const answer = answerWith(core, exchange, { resource, facet });
  const plan = planned(core, exchange, await readWriting(core, exchange, resource));
  const charge = chargeOnce(core, exchange, resource);
  const { item } = await mutate(core, {
    resource,
    namespace: resource.namespaced ? (target.namespace ?? "") : "",
    name: target.name ?? "",
    dryRun: writeOptions(exchange).dryRun,
    async plan(old) {
      const made = await plan.change(old);
      await charge(old, made);
      return made;
    },
  });
  await answer(item);
}
