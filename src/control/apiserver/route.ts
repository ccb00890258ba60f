// Routes a request about a resource to the handler of its verb.
import type { Core } from "./core.ts";
import { methodNotAllowed, noSuchResource } from "./errors.ts";
import type { ResourceExchange } from "./http/exchange.ts";
import { metricsGroup, serveMeasured } from "./measured/serve.ts";
import type { Verb } from "./request-info.ts";
import type { ServedResource } from "./resources/served.ts";
import { bind } from "./subresources/binding.ts";
import { connect } from "./subresources/connect.ts";
import { evict } from "./subresources/eviction.ts";
import { review } from "./subresources/review.ts";
import { issueToken } from "./subresources/token.ts";
import { create } from "./verbs/create.ts";
import { deleteOne } from "./verbs/delete.ts";
import { deleteCollection } from "./verbs/delete-collection.ts";
import { get } from "./verbs/get.ts";
import { list } from "./verbs/list.ts";
import { patch } from "./verbs/patch.ts";
import { update } from "./verbs/update.ts";
import { watch } from "./verbs/watch.ts";

type Handler = (
  core: Core,
  exchange: ResourceExchange,
  resource: ServedResource,
) => void | Promise<void>;

const verbs: Record<Verb, Handler> = {
  create,
  get,
  list,
  watch,
  update,
  patch,
  delete: deleteOne,
  deletecollection: deleteCollection,
};

const subresources: Readonly<Record<string, Partial<Record<Verb, Handler>>>> = {
  status: { get, update, patch },
  scale: { get, update, patch },
  approval: { get, update, patch },
  finalize: { update },
  ephemeralcontainers: { get, update, patch },
  resize: { get, update, patch },
  binding: { create: bind },
  eviction: { create: evict },
  token: { create: issueToken },
  log: { get: connect },
  exec: { create: connect, get: connect },
  attach: { create: connect, get: connect },
  portforward: { create: connect, get: connect },
  proxy: { create: connect, delete: connect, get: connect, patch: connect, update: connect },
};

export async function route(core: Core, exchange: ResourceExchange): Promise<void> {
  const resource = findResource(core, exchange) ?? (await findRecent(core, exchange));
  if (resource === undefined || !isPlaced(resource, exchange)) throw noSuchResource();
  const handler = find(resource, exchange);
  if (resource.warning !== undefined) exchange.warnings.push(resource.warning);
  await handler(core, exchange, resource);
}

function findResource({ catalogue }: Core, { target }: ResourceExchange) {
  return catalogue.find(target.group, target.version, target.resource);
}

/** Looks a resource up with a current cache: another server may just have stored its definition. */
async function findRecent(core: Core, exchange: ResourceExchange) {
  await core.cache.current();
  return findResource(core, exchange);
}

function find(resource: ServedResource, { target }: ResourceExchange): Handler {
  const { verb, subresource, name } = target;
  if (subresource === undefined) {
    const handler = resource.verbs.includes(verb) ? handlerOf(resource, verb) : undefined;
    if (handler === undefined || (verb === "create" && name !== undefined))
      throw methodNotAllowed();
    return handler;
  }
  const served = resource.subresources.find((each) => each.name === subresource);
  if (served === undefined) throw noSuchResource();
  const handler = served.verbs.includes(verb) ? subresources[subresource]?.[verb] : undefined;
  if (handler === undefined) throw methodNotAllowed();
  return handler;
}

/** Returns the handler of a resource; reviews, bindings and metrics are answered, not stored. */
function handlerOf(resource: ServedResource, verb: Verb): Handler | undefined {
  if (resource.group === metricsGroup) return serveMeasured;
  if (resource.verbs.includes("get")) return verbs[verb];
  return resource.kind === "Binding" ? bind : review;
}

/** Returns whether the path fits the scope: namespaced objects need a namespace, lists may span all. */
function isPlaced(resource: ServedResource, { target }: ResourceExchange): boolean {
  const { namespace, name, verb } = target;
  if (!resource.namespaced) return namespace === undefined || resource.plural === "namespaces";
  if (namespace !== undefined) return namespace !== "";
  return name === undefined && (verb === "list" || verb === "watch" || verb === "deletecollection");
}
