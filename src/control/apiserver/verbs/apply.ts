// Server-side apply: a patch with the fields that its manager wants, which may create the object.
import { ApplyError, applyConfiguration } from "../../../api/apply/apply.ts";
import { isApplyConflict } from "../../../api/apply/conflict.ts";
import type { ApiObject } from "../../../api/kinds/kind.ts";
import { isObject, type JsonObject } from "../../../base/json/value.ts";
import { admitAs } from "../admit.ts";
import type { Item } from "../cache/item.ts";
import { applyConflict, badRequest, conflict } from "../errors.ts";
import type { AskedResource } from "../http/exchange.ts";
import { parseStored, type ServedResource } from "../resources/served.ts";
import type { Facet } from "../subresources/facet.ts";
import { fieldValidation, fit, identify, report, reportRepeatedKeys } from "../write/decode.ts";
import { checkUnchanged, isFinished } from "../write/lifecycle.ts";
import type { Plan } from "../write/mutate.ts";
import { applyOptions } from "../write/options.ts";
import { writerOf } from "../write/ownership.ts";
import type { PatchBody } from "../write/patch-body.ts";
import type { Planner, PlanningCore } from "../write/planning.ts";
import { prepareCreate, prepareUpdate } from "../write/prepare.ts";

interface Application {
  readonly resource: ServedResource;
  readonly facet: Facet;
  readonly body: PatchBody;
}

export function planApply(
  core: PlanningCore,
  exchange: AskedResource,
  application: Application,
): Planner {
  const { resource, body } = application;
  const { target } = exchange;
  const config = body.patch;
  if (!isObject(config)) throw badRequest("Cannot apply: the body is not an object");
  applyOptions(exchange);
  const namespace = resource.namespaced ? (target.namespace ?? "") : "";
  const work = { ...application, config, namespace, name: target.name ?? "" };
  return (item) => {
    exchange.warnings.length = 0;
    return item === undefined
      ? create(core, exchange, work)
      : update(core, exchange, { ...work, item });
  };
}

interface Work extends Application {
  readonly config: JsonObject;
  readonly namespace: string;
  readonly name: string;
}

async function create(core: PlanningCore, exchange: AskedResource, work: Work): Promise<Plan> {
  const { resource, facet, config, namespace, name } = work;
  // Creating an object requires the permission "create" besides "patch".
  await admitAs(core.access, exchange, "create");
  const given = isObject(config["metadata"]) ? config["metadata"] : {};
  if (typeof given["uid"] === "string" && given["uid"] !== "") {
    throw conflict(
      resource.groupResource,
      name,
      `uid mismatch: the provided object specified uid ${given["uid"]}, and no existing object was found`,
    );
  }
  const { apiVersion, kind } = facet;
  const blank = {
    apiVersion,
    kind,
    metadata: { name, ...(namespace === "" ? {} : { namespace }) },
  };
  const applied = facet.take(blank, applyTo(core, exchange, { ...work, live: blank }));
  const object = await prepareCreate(core, exchange, { resource, object: applied, namespace });
  return { type: "put", object };
}

async function update(
  core: PlanningCore,
  exchange: AskedResource,
  work: Work & { item: Item },
): Promise<Plan> {
  const { resource, facet, item, config } = work;
  const old = parseStored(resource, item);
  const given = applyTo(core, exchange, { ...work, live: facet.show(parseStored(resource, item)) });
  checkUnchanged(given, { uid: old.metadata?.uid, modified: item.modified }, resource);
  const taken = facet.take(parseStored(resource, item), given);
  // A facet with a kind of its own, such as a Scale, has no managedFields; those of the object are updated.
  const manager = facet.isObject ? {} : { manager: applyOptions(exchange).fieldManager };
  const how = { patch: "apply" as const, patchBody: config, ...manager };
  const change = { resource, object: taken, old, ...how };
  const object = await prepareUpdate(core, exchange, change);
  return isFinished(resource, object) ? { type: "delete" } : { type: "put", object };
}

function applyTo(
  core: PlanningCore,
  exchange: AskedResource,
  work: Work & { live: ApiObject },
): ApiObject {
  const { resource, facet, config, body, live } = work;
  const { fieldManager: manager, force } = applyOptions(exchange);
  const { subresource } = exchange.target;
  const writer = writerOf(core, { resource, manager, subresource });
  const { apiVersion, schema } = facet;
  const object = guard(() =>
    applyConfiguration(live as JsonObject, config, {
      ...writer,
      apiVersion,
      schema,
      force,
      pairs: resource.rules.toldTwice ?? [],
    }),
  );
  reportRepeatedKeys(exchange, body.problems);
  const problems: string[] = [];
  const fitting = fit(identify({ ...object }, facet), facet, problems);
  const strictness = fieldValidation(exchange.info.query);
  report(exchange, { expected: facet, strictness, problems });
  return fitting;
}

function guard(work: () => JsonObject): ApiObject {
  try {
    return work();
  } catch (error) {
    if (isApplyConflict(error)) throw applyConflict(error.message, error.causes);
    if (error instanceof ApplyError) throw badRequest(error.message, error);
    throw error;
  }
}
