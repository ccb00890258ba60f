import type { ApiObject } from "../../api/kinds/kind.ts";
import type { Core } from "../core.ts";
import { badRequest, notFound } from "../errors.ts";
import type { ResourceExchange } from "../http/exchange.ts";
import { negotiate } from "../http/negotiate.ts";
import { sendJson } from "../http/respond.ts";
import type { ServedResource } from "../resources/served.ts";
import { chooseView } from "../views/choose.ts";
import { readStored } from "../write/decode.ts";
import { checkUnchanged, isFinished, placeIn } from "../write/lifecycle.ts";
import { mutate } from "../write/mutate.ts";
import { writeOptions } from "../write/options.ts";
import { prepareUpdate } from "../write/prepare.ts";

/** Replaces an object, or the part of it a subresource stands for. */
export async function update(
  core: Core,
  exchange: ResourceExchange,
  resource: ServedResource,
): Promise<void> {
  const { info, request, target } = exchange;
  const form = negotiate(request.headers.accept);
  const view = chooseView(core, resource, { form, query: info.query });
  const given = await readStored(exchange, resource);
  const namespace = resource.namespaced ? (target.namespace ?? "") : "";
  const name = target.name ?? "";
  identify(given, { namespace, name });
  const { dryRun } = writeOptions(exchange);
  const { item } = await mutate(core, {
    resource,
    namespace,
    name,
    dryRun,
    plan(oldItem) {
      if (oldItem === undefined) throw notFound(resource.groupResource, name);
      const old = oldItem.parse();
      checkUnchanged(given, { uid: old.metadata?.uid, modified: oldItem.modified }, resource);
      const object = structuredClone(given);
      prepareUpdate(core, exchange, { resource, object, old });
      return isFinished(object) ? { type: "delete" } : { type: "put", object };
    },
  });
  sendJson(exchange, view.single(item), form);
}

function identify(object: ApiObject, place: { namespace: string; name: string }): void {
  const metadata = (object.metadata ??= {});
  if (metadata.name === undefined || metadata.name === "") metadata.name = place.name;
  if (metadata.name !== place.name) {
    throw badRequest(
      `the name of the object (${metadata.name}) does not match the name on the URL (${place.name})`,
    );
  }
  placeIn(metadata, place.namespace);
}
