import { hasQuotas, takeFromQuotas } from "../admission/quota.ts";
import type { Core } from "../core.ts";
import { alreadyExists, nameExhausted } from "../errors.ts";
import { planned, readWriting } from "../heavy/plan.ts";
import type { ResourceExchange } from "../http/exchange.ts";
import { admitToNamespace } from "../resources/namespaces.ts";
import type { ServedResource } from "../resources/served.ts";
import { facetOf } from "../subresources/facet.ts";
import { answerWith } from "../views/answer.ts";
import { mutate, type Outcome, objectOf } from "../write/mutate.ts";
import { writeOptions } from "../write/options.ts";
import type { Writing } from "../write/planners.ts";

const maximumGeneratedNames = 8;

export async function create(
  core: Core,
  exchange: ResourceExchange,
  resource: ServedResource,
): Promise<void> {
  const facet = facetOf(resource, undefined);
  const answer = answerWith(core, exchange, { resource, facet });
  const writing = await readWriting(core, exchange, resource);
  const { item } = await createObject(core, exchange, writing);
  await answer(item, 201);
}

async function createObject(
  core: Core,
  exchange: ResourceExchange,
  writing: Writing,
): Promise<Outcome> {
  const { resource } = writing;
  const { dryRun } = writeOptions(exchange);
  const namespace = resource.namespaced ? (exchange.target.namespace ?? "") : "";
  const plan = planned(core, exchange, writing);
  for (let tries = 1; ; tries++) {
    const { name, isGenerated, ...put } = await plan.create();
    if (tries === 1 && hasQuotas(core, namespace)) {
      const object = () => objectOf(put);
      await takeFromQuotas(core, { resource, namespace, name, object, dryRun });
    }
    try {
      return await mutate(core, {
        resource,
        namespace,
        name,
        dryRun,
        plan(old) {
          const compare =
            namespace === ""
              ? []
              : [admitToNamespace(core, resource.groupResource, { namespace, name })];
          if (old !== undefined) throw alreadyExists(resource.groupResource, name);
          return { ...put, compare };
        },
      });
    } catch (error) {
      const taken =
        isGenerated &&
        core.cache.collection(resource.collection).get(namespace, name) !== undefined;
      if (!taken) throw error;
      if (tries === maximumGeneratedNames) throw nameExhausted(resource.groupResource, name);
    }
  }
}
