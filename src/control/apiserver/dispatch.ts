// Passes an admitted request to the part that answers it: a resource, or a path beside the resources.
import { parseJson } from "../../base/json/parse-json.ts";
import { isObject } from "../../base/json/value.ts";
import { metricsContentType, type Registry } from "../../base/program/metrics.ts";
import type { Aggregation } from "./aggregation/aggregation.ts";
import { answerRemotely } from "./aggregation/answer-remotely.ts";
import type { Core } from "./core.ts";
import type { Discovery } from "./discovery/serve.ts";
import { badRequest, methodNotAllowed, noSuchResource } from "./errors.ts";
import { readBody } from "./http/body.ts";
import type { Exchange } from "./http/exchange.ts";
import { sendBytes, sendPlain } from "./http/respond.ts";
import type { OpenApiServer } from "./openapi/serve.ts";
import { route } from "./route.ts";
import { versionInfo } from "./version-info.ts";

export interface Destinations {
  readonly core: Core;
  readonly metrics: Registry;
  readonly aggregation: Aggregation | undefined;
  readonly discovery: Discovery;
  readonly openapi: OpenApiServer;
}

export function dispatch(
  { core, metrics, aggregation, discovery, openapi }: Destinations,
  exchange: Exchange,
): void | Promise<void> {
  const { path, resource } = exchange.info;
  const remote = aggregation?.find(path);
  if (remote !== undefined) return answerRemotely(exchange, remote);
  if (resource !== undefined) return route(core, { ...exchange, target: resource });
  if (path === "/version") sendPlain(exchange, versionInfo);
  else if (path === "/metrics") {
    sendBytes(exchange, Buffer.from(metrics.render()), metricsContentType);
  } else if (path.startsWith("/openapi/")) return openapi.serve(exchange);
  else if (/^\/apis?(?:\/|$)/.test(path)) discovery.serve(exchange);
  else return answerBeside(core, exchange);
}

/** The longest body outside of the API groups. */
const longestBeside = 64 * 1024;

/** Answers requests for paths outside of the API groups. */
async function answerBeside({ access }: Core, exchange: Exchange): Promise<void> {
  const { info, request, user } = exchange;
  const document = access.documents?.[info.path.replace(/\/$/, "")];
  if (document !== undefined) {
    if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed();
    sendBytes(exchange, Buffer.from(JSON.stringify(document.body)), document.type);
    return;
  }
  const handler = access.paths?.[info.path];
  if (handler === undefined) throw noSuchResource();
  if (request.method !== "POST") throw methodNotAllowed();
  const body = parseJson(await readBody(request, longestBeside));
  if (!isObject(body)) throw badRequest("the body must be a JSON object");
  sendPlain(exchange, await handler(body, user));
}
