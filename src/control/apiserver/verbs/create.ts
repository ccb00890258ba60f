import type { ApiObject } from "../../../api/kinds/kind.ts";
import type { Core } from "../core.ts";
import { alreadyExists, nameExhausted } from "../errors.ts";
import type { ResourceExchange } from "../http/exchange.ts";
import { admitToNamespace } from "../resources/namespaces.ts";
import type { ServedResource } from "../resources/served.ts";
import { facetOf } from "../subresources/facet.ts";
import { answerWith } from "../views/answer.ts";
import { readStored } from "../write/decode.ts";
import { generateName } from "../write/generate-name.ts";
import { mutate, type Outcome } from "../write/mutate.ts";
import { writeOptions } from "../write/options.ts";
import { prepareCreate } from "../write/prepare.ts";

const maximumGeneratedNames = 8;

export async function create(
  core: Core,
  exchange: ResourceExchange,
  resource: ServedResource,
): Promise<void> {
  const facet = facetOf(resource, undefined);
  const answer = answerWith(core, exchange, { resource, facet });
  const object = await readStored(exchange, resource);
  const { item } = await createObject(core, exchange, { resource, object });
  answer(item, 201);
}

async function createObject(
  core: Core,
  exchange: ResourceExchange,
  { resource, object: given }: { resource: ServedResource; object: ApiObject },
): Promise<Outcome> {
  const { dryRun, fieldManager: manager } = writeOptions(exchange);
  const namespace = resource.namespaced ? (exchange.target.namespace ?? "") : "";
  const wished = (given.metadata ??= {});
  const base = wished.name === undefined || wished.name === "" ? wished.generateName : undefined;
  if (base !== undefined) wished.name = generateName(base);
  const object = await prepareCreate(core, exchange, {
    resource,
    object: given,
    namespace,
    manager,
  });
  const metadata = (object.metadata ??= {});
  for (let tries = 1; ; tries++) {
    const name = metadata.name ?? "";
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
          return { type: "put", object, compare };
        },
      });
    } catch (error) {
      const taken =
        base !== undefined &&
        core.cache.collection(resource.collection).get(namespace, name) !== undefined;
      if (!taken) throw error;
      if (tries === maximumGeneratedNames) throw nameExhausted(resource.groupResource, name);
      metadata.name = generateName(base);
    }
  }
}
