// Subresources that are answered by the node of a pod, or by a proxied target.
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { ApiObject } from "../../../api/kinds/kind.ts";
import { admitDynamically } from "../admission/dynamic.ts";
import { admitAs } from "../admit.ts";
import type { Core } from "../core.ts";
import { noSuchResource, notFound, unavailable } from "../errors.ts";
import type { ResourceExchange } from "../http/exchange.ts";
import { awaitFreshness } from "../lists/freshness.ts";
import type { StreamRequest } from "../ports.ts";
import { isTrue } from "../request-info.ts";
import type { ServedResource } from "../resources/served.ts";
import { splitName } from "../streaming/destination.ts";
import { watch } from "../verbs/watch.ts";
import { WatchSocket } from "../watch/socket.ts";

export async function connect(
  core: Core,
  exchange: ResourceExchange,
  resource: ServedResource,
): Promise<void> {
  if (core.streaming === undefined) throw unavailable("this server has no connection to nodes");
  await core.streaming.answer(await streamRequest(core, exchange, resource), exchange.response);
}

export async function connectUpgraded(
  core: Core,
  exchange: Omit<ResourceExchange, "response">,
  connection: { socket: Duplex; head: Buffer },
): Promise<void> {
  const { group, version, resource: plural, subresource } = exchange.target;
  const resource = core.catalogue.find(group, version, plural);
  if (resource?.verbs.includes("watch") === true && isPlainWatch(exchange)) {
    const response = new WatchSocket({
      request: exchange.request as IncomingMessage,
      ...connection,
    });
    return await watch(core, { ...exchange, response }, resource);
  }
  const served = resource?.subresources.find(({ name }) => name === subresource);
  if (resource === undefined || served === undefined || !isConnected(subresource)) {
    throw noSuchResource();
  }
  if (core.streaming === undefined) throw unavailable("this server has no connection to nodes");
  await core.streaming.upgrade(await streamRequest(core, exchange, resource), connection);
}

function isPlainWatch({ target }: Omit<ResourceExchange, "response">): boolean {
  return target.verb === "watch" && target.subresource === undefined;
}

const connected = new Set(["log", "exec", "attach", "portforward", "proxy"]);

/** The subresources that let a user act inside of a pod. */
const enters = new Set(["exec", "attach", "portforward"]);

function isConnected(subresource: string | undefined): boolean {
  return subresource !== undefined && connected.has(subresource);
}

/** Returns the options of a connection as an object, such as PodExecOptions, which admission sees. */
function optionsOf(
  { subresources }: ServedResource,
  { target, info }: Pick<ResourceExchange, "target" | "info">,
): ApiObject {
  const { kind = "" } = subresources.find(({ name }) => name === target.subresource) ?? {};
  const { query } = info;
  const container = query.get("container");
  const flags = ["stdin", "stdout", "stderr", "tty"].filter((flag) => isTrue(query.get(flag)));
  const command = query.getAll("command");
  const ports = query.getAll("ports").flatMap((text) => text.split(",").map(Number));
  return {
    kind,
    apiVersion: "v1",
    ...(target.subresource === "proxy" ? { path: target.rest ?? "" } : {}),
    ...(ports.length === 0 ? {} : { ports }),
    ...Object.fromEntries(flags.map((flag) => [flag, true])),
    ...(container === null ? {} : { container }),
    ...(command.length === 0 ? {} : { command }),
  };
}

async function streamRequest(
  core: Core,
  exchange: Omit<ResourceExchange, "response">,
  resource: ServedResource,
): Promise<StreamRequest> {
  const { request, target, user, info } = exchange;
  // Entering a pod requires "create" besides "get": a WebSocket begins with a GET, but does more than read.
  if (target.verb === "get" && enters.has(target.subresource ?? "")) {
    await admitAs(core.access, exchange, "create");
  }
  await awaitFreshness(core, undefined);
  const namespace = resource.namespaced ? (target.namespace ?? "") : "";
  const name = target.name ?? "";
  // A proxied name has a scheme and a port: `https:web:8443`.
  const own = target.subresource === "proxy" ? splitName(name).name : name;
  const item = core.cache.collection(resource.collection).get(namespace, own);
  if (item === undefined) throw notFound(resource.groupResource, name);
  if (target.subresource !== "log") {
    const object = optionsOf(resource, exchange);
    await admitDynamically(core, exchange, { operation: "CONNECT", resource, object });
  }
  return { request, target, user, query: info.query, object: item.parse() };
}
