import type { ApiObject } from "../../../api/kinds/kind.ts";
import type { Core } from "../core.ts";
import { invalid, notFound, StatusError } from "../errors.ts";
import type { ResourceExchange } from "../http/exchange.ts";
import type { ServedResource } from "../resources/served.ts";
import { type Facet, facetOf } from "../subresources/facet.ts";
import { answerWith } from "../views/answer.ts";
import { fieldValidation, fit, report } from "../write/decode.ts";
import { checkUnchanged, isFinished } from "../write/lifecycle.ts";
import { mutate } from "../write/mutate.ts";
import { refuseForce, writeOptions } from "../write/options.ts";
import { type PatchBody, patched, readPatch } from "../write/patch-body.ts";
import { prepareUpdate } from "../write/prepare.ts";
import { apply } from "./apply.ts";

export async function patch(
  core: Core,
  exchange: ResourceExchange,
  resource: ServedResource,
): Promise<void> {
  const { target } = exchange;
  const facet = facetOf(resource, target.subresource);
  const answer = answerWith(core, exchange, { resource, facet });
  const body = await readPatch(exchange, resource.custom !== undefined);
  if (body.kind === "apply") {
    const { item, isCreated } = await apply(core, exchange, { resource, facet, body });
    answer(item, isCreated ? 201 : 200);
    return;
  }
  refuseForce(exchange);
  const namespace = resource.namespaced ? (target.namespace ?? "") : "";
  const name = target.name ?? "";
  const { dryRun, fieldManager: manager } = writeOptions(exchange);
  const { item } = await mutate(core, {
    resource,
    namespace,
    name,
    dryRun,
    plan(oldItem) {
      if (oldItem === undefined) throw notFound(resource.groupResource, name);
      exchange.warnings.length = 0;
      const old = oldItem.parse();
      const given = patchedObject(exchange, facet, { shown: facet.show(oldItem.parse()), body });
      checkUnchanged(given, { uid: old.metadata?.uid, modified: oldItem.modified }, resource);
      const taken = facet.take(oldItem.parse(), given);
      const how = { patch: body.kind, patchBody: body.patch, manager };
      const change = { resource, object: taken, old, ...how };
      const object = prepareUpdate(core, exchange, change);
      return isFinished(resource, object) ? { type: "delete" } : { type: "put", object };
    },
  });
  answer(item);
}

function patchedObject(
  exchange: ResourceExchange,
  facet: Facet,
  { shown, body }: { shown: ApiObject; body: PatchBody },
): ApiObject {
  const result = patched(shown, body, facet.schema);
  const problems = [...body.problems];
  const strictness = fieldValidation(exchange.info.query);
  const fitting = fitPatched(facet, result, problems);
  report(exchange, { expected: facet, strictness, problems });
  return fitting;
}

/** A patch that makes an object what its kind cannot be is invalid, not malformed. */
function fitPatched(facet: Facet, object: ApiObject, problems: string[]): ApiObject {
  try {
    return fit(object, facet, problems);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    throw invalid({ group: "", name: facet.kind }, object.metadata?.name ?? "", [
      { type: "FieldValueInvalid", field: "patch", detail: error.message },
    ]);
  }
}
