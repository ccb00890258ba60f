import { chargeOnce } from "../admission/quota.ts";
import type { Core } from "../core.ts";
import { planned, readWriting } from "../heavy/plan.ts";
import type { ResourceExchange } from "../http/exchange.ts";
import { admitToNamespace } from "../resources/namespaces.ts";
import type { ServedResource } from "../resources/served.ts";
import { facetOf } from "../subresources/facet.ts";
import { answerWith } from "../views/answer.ts";
import { mutate, type Plan } from "../write/mutate.ts";
import { applyOptions, writeOptions } from "../write/options.ts";
import { patchKind } from "../write/patch-body.ts";

export async function patch(
  core: Core,
  exchange: ResourceExchange,
  resource: ServedResource,
): Promise<void> {
  const { target } = exchange;
  const facet = facetOf(resource, target.subresource);
  const answer = answerWith(core, exchange, { resource, facet });
  const kind = patchKind(exchange, resource.custom !== undefined);
  const plan = planned(core, exchange, await readWriting(core, exchange, resource));
  const options = kind === "apply" ? applyOptions(exchange) : writeOptions(exchange);
  const namespace = resource.namespaced ? (target.namespace ?? "") : "";
  const name = target.name ?? "";
  let isCreated = false;
  const charge = chargeOnce(core, exchange, resource);
  const { item } = await mutate(core, {
    resource,
    namespace,
    name,
    dryRun: options.dryRun,
    async plan(old): Promise<Plan> {
      isCreated = old === undefined && target.subresource === undefined;
      const made = await plan.change(old);
      if (made.type !== "put" || namespace === "") return made;
      await charge(old, made);
      if (old !== undefined) return made;
      const place = { namespace, name };
      return { ...made, compare: [admitToNamespace(core, resource.groupResource, place)] };
    },
  });
  await answer(item, isCreated ? 201 : 200);
}
