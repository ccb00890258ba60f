// Passes requests on to the servers of aggregated APIs, with the caller's identity in headers that those
// believe because of the front proxy's certificate.
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import { unavailable } from "../errors.ts";
import type { Exchange } from "../http/exchange.ts";
import { isGone } from "../http/message.ts";
import { answerHeadersOf, goneIsFine, passedOn, passUpgrade } from "../streaming/proxy.ts";
import { identityHeaders, type RemoteApi } from "./remote-api.ts";

interface Remote {
  readonly api: RemoteApi;
  readonly isAvailable: boolean;
}

export async function answerRemotely(
  { request, response, user }: Exchange,
  { api, isAvailable }: Remote,
): Promise<void> {
  if (!isAvailable) throw unavailable("service unavailable");
  const outgoing = httpRequest({
    agent: api.agent,
    method: request.method ?? "GET",
    path: request.url ?? "/",
    headers: { ...passedOn(request.headers), ...identityHeaders(user), host: api.host },
  });
  response.once("close", () => outgoing.destroy());
  // Errors after the answer has begun are those of its stream.
  outgoing.on("error", () => undefined);
  request.pipe(outgoing);
  const [incoming] = (await once(outgoing, "response").catch((cause: unknown) => {
    const state = cause instanceof Error ? cause.message : String(cause);
    throw unavailable(`error trying to reach service: ${state}`, cause);
  })) as [IncomingMessage];
  if (isGone(response)) return;
  const { statusCode = 502, headers } = incoming;
  // Following another server's redirects would take the caller, and what this server sends, elsewhere.
  if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
    incoming.resume();
    throw unavailable("the backend attempted to redirect this request, which is not permitted");
  }
  response.writeHead(statusCode, answerHeadersOf(incoming));
  response.flushHeaders?.();
  response.setMaxListeners(20);
  await pipeline(incoming, response).catch(goneIsFine);
}

export async function upgradeRemotely(
  { request, user }: Pick<Exchange, "request" | "user">,
  connection: { readonly socket: Duplex; readonly head: Buffer },
  { api, isAvailable }: Remote,
): Promise<void> {
  if (!isAvailable) throw unavailable("service unavailable");
  passUpgrade(request, connection, {
    path: request.url ?? "/",
    headers: { ...identityHeaders(user), host: api.host },
    connection: await api.connect(),
  });
}
