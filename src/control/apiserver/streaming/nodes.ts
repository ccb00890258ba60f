// Log, exec, attach and port-forward are the node agent's business: the server finds the node, proves
// itself with a certificate, and passes the bytes on. The protocol spoken inside is between the client
// and the agent.
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { pipeline } from "node:stream/promises";
import type { SecureContextOptions } from "node:tls";
import type { Node, Pod } from "../../../api/types/core.ts";
import type { Random } from "../../../base/host/random.ts";
import { badRequest, notFound, unavailable } from "../errors.ts";
import type { ObjectReader } from "../object-reader.ts";
import type { Streaming, StreamRequest } from "../ports.ts";
import { dial } from "./dial.system.ts";
import { containerOf, endpointOf, type NodeEndpoint, onlyNode } from "./node-endpoint.ts";
import { nodeSummaries } from "./node-summary.ts";
import { goneIsFine, proxyTo, proxyUpgrade } from "./proxy.ts";
import { openReach } from "./reach.ts";

export interface NodeStreamingOptions {
  readonly objects: ObjectReader;
  /** Returns the server's own present certificate, which agents trust. */
  readonly tls: () => SecureContextOptions;
  readonly random: Random;
}

/** The headers of the client's request that the agent needs to take the connection over. */
const forwarded = [
  "upgrade",
  "connection",
  "sec-websocket-key",
  "sec-websocket-version",
  "sec-websocket-protocol",
  "sec-websocket-extensions",
  "x-stream-protocol-version",
];

const what = "dialing the node at";

export function nodeStreaming({ objects, tls, random }: NodeStreamingOptions): Streaming {
  const nodeNamed = (name: string) => objects.get("nodes", "", name) as Node | undefined;
  const reach = openReach({ objects, tls, random: () => random.fraction() });
  const ways = { reach, tls };
  const locate = (stream: StreamRequest): { endpoint: NodeEndpoint; path: string } => {
    const pod = stream.object as Pod;
    const { nodeName } = pod.spec;
    if (!nodeName) throw badRequest(`pod ${pod.metadata.name} does not have a host assigned`);
    const node = nodeNamed(nodeName);
    if (node === undefined) throw notFound({ group: "", name: "nodes" }, nodeName);
    return { endpoint: endpointOf(node), path: agentPath(stream, pod) };
  };

  return {
    reach,
    summary: nodeSummaries(tls),
    async answer(stream, response) {
      if (stream.target.subresource === "proxy") {
        await proxyTo(stream, response, ways);
        return;
      }
      if (stream.target.subresource !== "log") throw badRequest("Upgrade request required");
      const { endpoint, path } = locate(stream);
      const { host, port } = endpoint;
      const connection = await dial({
        ...endpoint,
        tls: { ...tls(), ...onlyNode(endpoint.node) },
        what,
      });
      response.once("close", () => connection.destroy());
      const request = { host, port, path, createConnection: () => connection };
      const answered = once(httpRequest(request).end(), "response").catch(unreachable(endpoint));
      const [incoming] = (await answered) as [IncomingMessage];
      const type = incoming.headers["content-type"] ?? "text/plain";
      response.writeHead(incoming.statusCode ?? 500, { "content-type": type });
      response.flushHeaders?.();
      await pipeline(incoming, response).catch(goneIsFine);
    },
    async upgrade(stream, { socket, head }) {
      if (stream.target.subresource === "proxy") {
        await proxyUpgrade(stream, { socket, head }, ways);
        return;
      }
      const { endpoint, path } = locate(stream);
      const agent = await dial({
        ...endpoint,
        tls: { ...tls(), ...onlyNode(endpoint.node) },
        what,
      });
      agent.write(upgradeHead(stream, path, endpoint));
      if (head.length > 0) agent.write(head);
      agent.once("error", () => socket.destroy());
      socket.once("error", () => agent.destroy());
      agent.once("close", () => socket.destroy());
      socket.once("close", () => agent.destroy());
      agent.pipe(socket);
      socket.pipe(agent);
    },
  };
}

/** Returns the path, as kubelets serve it. */
function agentPath({ target, query }: StreamRequest, pod: Pod): string {
  const where = `${target.namespace}/${target.name}`;
  if (target.subresource === "portforward") return `/portForward/${where}?${query.toString()}`;
  const container = containerOf(pod, query.get("container"));
  const passed = new URLSearchParams(query);
  passed.delete("container");
  const kind = target.subresource === "log" ? "containerLogs" : target.subresource;
  return `/${kind}/${where}/${container}?${passed.toString()}`;
}

function upgradeHead(
  { request }: StreamRequest,
  path: string,
  { host, port }: NodeEndpoint,
): string {
  const name = host.includes(":") ? `[${host}]` : host;
  const lines = [`${request.method} ${path} HTTP/1.1`, `Host: ${name}:${port}`];
  for (const header of forwarded) {
    const value = request.headers[header];
    for (const each of Array.isArray(value) ? value : value === undefined ? [] : [value]) {
      lines.push(`${header}: ${each}`);
    }
  }
  return [...lines, "", ""].join("\r\n");
}

function unreachable({ host, port }: NodeEndpoint): (cause: unknown) => never {
  return (cause) => {
    const state = cause instanceof Error ? cause.message : String(cause);
    throw unavailable(`error ${what} ${host} port ${port}: ${state}`, cause);
  };
}
