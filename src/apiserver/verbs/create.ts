import type { ApiObject } from "../../api/kinds/kind.ts";
import type { Core } from "../core.ts";
import { alreadyExists, nameExhausted } from "../errors.ts";
import type { ResourceExchange } from "../http/exchange.ts";
import { negotiate } from "../http/negotiate.ts";
import { sendJson } from "../http/respond.ts";
import { admitToNamespace } from "../resources/namespaces.ts";
import type { ServedResource } from "../resources/served.ts";
import { chooseView } from "../views/choose.ts";
import { readStored } from "../write/decode.ts";
import { mutate, type Outcome } from "../write/mutate.ts";
import { generateName } from "../write/names.ts";
import { writeOptions } from "../write/options.ts";
import { prepareCreate } from "../write/prepare.ts";

const maximumGeneratedNames = 8;

export async function create(
  core: Core,
  exchange: ResourceExchange,
  resource: ServedResource,
): Promise<void> {
  const { info, request } = exchange;
  const form = negotiate(request.headers.accept);
  const view = chooseView(core, resource, { form, query: info.query });
  const object = await readStored(exchange, resource);
  const { item } = await createObject(core, exchange, { resource, object });
  sendJson(exchange, view.single(item), form, 201);
}

async function createObject(
  core: Core,
  exchange: ResourceExchange,
  { resource, object }: { resource: ServedResource; object: ApiObject },
): Promise<Outcome> {
  const options = writeOptions(exchange);
  const namespace = resource.namespaced ? (exchange.target.namespace ?? "") : "";
  const metadata = (object.metadata ??= {});
  const base =
    metadata.name === undefined || metadata.name === "" ? metadata.generateName : undefined;
  if (base !== undefined) metadata.name = generateName(base);
  prepareCreate(core, exchange, { resource, object, namespace });
  for (let tries = 1; ; tries++) {
    const name = metadata.name ?? "";
    try {
      return await mutate(core, {
        resource,
        namespace,
        name,
        dryRun: options.dryRun,
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
