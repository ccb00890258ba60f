// The proxy: `…/pods/NAME:PORT/proxy/PATH` and the same for services and nodes. Requests are passed on as
// they are, but without the credentials that were meant for the server.
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { pipeline } from "node:stream/promises";
import type { SecureContextOptions } from "node:tls";
import type { Node, Pod, Service } from "../../../api/types/core.ts";
import { badRequest, unavailable } from "../errors.ts";
import type { HttpResponse } from "../http/message.ts";
import type { StreamRequest } from "../ports.ts";
import { dial, proxyableAddress } from "./dial.ts";
import { endpointOf, onlyNode } from "./node-endpoint.ts";

const what = "trying to reach";
const withheld = new Set(["authorization", "connection", "host", "upgrade", "http2-settings"]);

/** Proxies a request. Node agents use TLS and require the server's certificate. */
export async function proxyTo(
  stream: StreamRequest,
  response: HttpResponse,
  tls: SecureContextOptions,
): Promise<void> {
  const { request } = stream;
  const { port, agentOf, ...destination } = destinationOf(stream);
  const host = agentOf !== undefined ? destination.host : await proxyableAddress(destination.host);
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(
      ([name]) => !name.startsWith(":") && !withheld.has(name),
    ),
  );
  const path = pathBehindProxy(request.url ?? "/");
  const method = request.method ?? "GET";
  const connection = await dial({
    host,
    port,
    what,
    ...(agentOf !== undefined && { tls: { ...tls, ...onlyNode(agentOf) } }),
  });
  response.once("close", () => connection.destroy());
  const createConnection = () => connection;
  const outgoing = httpRequest({
    host,
    port,
    method,
    path,
    headers,
    createConnection,
  });
  request.pipe(outgoing);
  const [incoming] = (await once(outgoing, "response").catch((cause: unknown) => {
    const state = cause instanceof Error ? cause.message : String(cause);
    throw unavailable(`error ${what} ${host} port ${port}: ${state}`, cause);
  })) as [IncomingMessage];
  const { connection: _, "transfer-encoding": __, "keep-alive": ___, ...rest } = incoming.headers;
  response.writeHead(incoming.statusCode ?? 502, rest);
  await pipeline(incoming, response);
}

interface Destination {
  readonly host: string;
  readonly port: number;
  /** The node, when its agent is the target. */
  readonly agentOf?: string;
}

function destinationOf({ target, object }: StreamRequest): Destination {
  const [, name = "", portText] =
    /^(?:https?:)?([^:]+)(?::(\d*))?:?$/.exec(target.name ?? "") ?? [];
  const port = portText ? Number(portText) : undefined;
  switch (target.resource) {
    case "pods": {
      const pod = object as Pod;
      const host = pod.status?.podIP;
      if (!host) throw badRequest(`pod ${name} has no address yet`);
      return { host, port: port ?? pod.spec.containers?.[0]?.ports?.[0]?.containerPort ?? 80 };
    }
    case "services": {
      const { spec } = object as Service;
      const host = spec.clusterIP;
      if (!host || host === "None") throw badRequest(`service ${name} has no cluster IP`);
      return { host, port: port ?? spec.ports?.[0]?.port ?? 80 };
    }
    default: {
      const endpoint = endpointOf(object as Node);
      const isAgent = port === undefined || port === endpoint.port;
      const agent = isAgent ? { agentOf: endpoint.node } : {};
      return { host: endpoint.host, port: port ?? endpoint.port, ...agent };
    }
  }
}

function pathBehindProxy(url: string): string {
  const match = /\/proxy(\/.*|\?.*)?$/.exec(url);
  const rest = match?.[1] ?? "/";
  return rest.startsWith("?") ? `/${rest}` : rest;
}
