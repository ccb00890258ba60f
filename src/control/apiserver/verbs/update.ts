import type { ApiObject } from "../../../api/kinds/kind.ts";
import type { Core } from "../core.ts";
import { badRequest, notFound } from "../errors.ts";
import type { ResourceExchange } from "../http/exchange.ts";
import type { ServedResource } from "../resources/served.ts";
import { facetOf } from "../subresources/facet.ts";
import { answerWith } from "../views/answer.ts";
import { readObject } from "../write/decode.ts";
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
  const { target } = exchange;
  const facet = facetOf(resource, target.subresource);
  const answer = answerWith(core, exchange, { resource, facet });
  const given = await readObject(exchange, facet);
  const namespace = resource.namespaced ? (target.namespace ?? "") : "";
  const name = target.name ?? "";
  identify(given, { namespace, name });
  const { dryRun, fieldManager: manager } = writeOptions(exchange);
  const { item } = await mutate(core, {
    resource,
    namespace,
    name,
    dryRun,
    plan(oldItem) {
      if (oldItem === undefined) throw notFound(resource.groupResource, name);
      const old = oldItem.parse();
      checkUnchanged(given, { uid: old.metadata?.uid, modified: oldItem.modified }, resource);
      const taken = facet.take(oldItem.parse(), structuredClone(given));
      const object = prepareUpdate(core, exchange, { resource, object: taken, old, manager });
      return isFinished(resource, object) ? { type: "delete" } : { type: "put", object };
    },
  });
  answer(item);
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
