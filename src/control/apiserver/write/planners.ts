// Planners: compute the new state of a write from the stored one. All other inputs are known beforehand, so
// that any thread can do the work.
import type { ApiObject } from "../../../api/kinds/kind.ts";
import { badRequest, invalid, notFound, StatusError } from "../errors.ts";
import type { AskedResource } from "../http/exchange.ts";
import { parseStored, type ServedResource } from "../resources/served.ts";
import { type Facet, facetOf } from "../subresources/facet.ts";
import { planApply } from "../verbs/apply.ts";
import { decodeObject, decodeStored, fieldValidation, fit, report } from "./decode.ts";
import { generateName } from "./generate-name.ts";
import { checkUnchanged, isFinished, placeIn } from "./lifecycle.ts";
import type { Plan } from "./mutate.ts";
import { refuseForce, writeOptions } from "./options.ts";
import { decodePatch, type PatchBody, patched, patchKind } from "./patch-body.ts";
import type { Planner, PlanningCore } from "./planning.ts";
import { prepareCreate, prepareUpdate } from "./prepare.ts";

export interface Writing {
  readonly resource: ServedResource;
  readonly body: Buffer;
}

/** Returns the planner of the request's verb. */
export function plannerOf(core: PlanningCore, exchange: AskedResource, writing: Writing): Planner {
  const { verb } = exchange.target;
  if (verb === "create") return () => planCreate(core, exchange, writing);
  return verb === "update"
    ? planUpdate(core, exchange, writing)
    : planPatch(core, exchange, writing);
}

/** Plans a creation; every attempt generates another name. */
async function planCreate(
  core: PlanningCore,
  exchange: AskedResource,
  { resource, body }: Writing,
): Promise<Plan> {
  exchange.warnings.length = 0;
  const object = decodeStored(exchange, resource, body);
  const { fieldManager: manager } = writeOptions(exchange);
  const namespace = resource.namespaced ? (exchange.target.namespace ?? "") : "";
  const wished = (object.metadata ??= {});
  const isUnnamed = wished.name === undefined || wished.name === "";
  const base = isUnnamed ? wished.generateName : undefined;
  if (base !== undefined) wished.name = generateName(base);
  const creation = { resource, object, namespace, manager };
  const prepared = await prepareCreate(core, exchange, creation);
  return { type: "put", object: prepared, isGenerated: base !== undefined };
}

function planUpdate(
  core: PlanningCore,
  exchange: AskedResource,
  { resource, body }: Writing,
): Planner {
  const { target } = exchange;
  const facet = facetOf(resource, target.subresource);
  const given = decodeObject(exchange, facet, body);
  const namespace = resource.namespaced ? (target.namespace ?? "") : "";
  const name = target.name ?? "";
  identify(given, { namespace, name });
  const { fieldManager: manager } = writeOptions(exchange);
  return async (oldItem) => {
    if (oldItem === undefined) throw notFound(resource.groupResource, name);
    const old = parseStored(resource, oldItem);
    checkUnchanged(given, { uid: old.metadata?.uid, modified: oldItem.modified }, resource);
    const taken = facet.take(parseStored(resource, oldItem), structuredClone(given));
    const object = await prepareUpdate(core, exchange, { resource, object: taken, old, manager });
    return isFinished(resource, object) ? { type: "delete" } : { type: "put", object };
  };
}

function planPatch(
  core: PlanningCore,
  exchange: AskedResource,
  { resource, body: bytes }: Writing,
): Planner {
  const { target } = exchange;
  const facet = facetOf(resource, target.subresource);
  const body = decodePatch(patchKind(exchange, resource.custom !== undefined), bytes);
  if (body.kind === "apply") return planApply(core, exchange, { resource, facet, body });
  refuseForce(exchange);
  const name = target.name ?? "";
  const { fieldManager: manager } = writeOptions(exchange);
  return async (oldItem) => {
    if (oldItem === undefined) throw notFound(resource.groupResource, name);
    exchange.warnings.length = 0;
    const old = parseStored(resource, oldItem);
    const given = patchedObject(exchange, facet, {
      shown: facet.show(parseStored(resource, oldItem)),
      body,
    });
    checkUnchanged(given, { uid: old.metadata?.uid, modified: oldItem.modified }, resource);
    const taken = facet.take(parseStored(resource, oldItem), given);
    const how = { patch: body.kind, patchBody: body.patch, manager };
    const change = { resource, object: taken, old, ...how };
    const object = await prepareUpdate(core, exchange, change);
    return isFinished(resource, object) ? { type: "delete" } : { type: "put", object };
  };
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

function patchedObject(
  exchange: AskedResource,
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

/** Checks the result of a patch against the schema: one that does not fit is invalid, not malformed. */
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
