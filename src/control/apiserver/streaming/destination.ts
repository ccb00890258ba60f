// The destination of a proxied request: `pods/https:web:8443/proxy`, and the same for services and nodes.
import type { Duplex } from "node:stream";
import { connect as connectSecurely, type SecureContextOptions } from "node:tls";
import type { Node, Pod } from "../../../api/types/core.ts";
import { badRequest } from "../errors.ts";
import type { StreamRequest } from "../ports.ts";
import { dial, proxyableAddress } from "./dial.system.ts";
import { endpointOf, onlyNode } from "./node-endpoint.ts";
import type { Reach } from "./reach.ts";

export interface Destination {
  readonly host: string;
  readonly port: number;
  connect(): Promise<Duplex>;
}

export interface Ways {
  readonly reach: Reach;
  readonly tls: () => SecureContextOptions;
}

export function destinationOf({ target, object }: StreamRequest, ways: Ways): Destination {
  const { scheme, name, port } = splitName(target.name ?? "");
  const { namespace = "" } = target;
  const { reach } = ways;
  switch (target.resource) {
    case "pods": {
      const pod = object as Pod;
      const host = pod.status?.podIP;
      if (!host) throw badRequest(`pod ${name} has no address yet`);
      const place = { host, port: podPort(pod, port), pod: { namespace, name } };
      return { ...place, connect: async () => secured(scheme, await reach.connect(place)) };
    }
    case "services": {
      const backend = reach.backendOf({ namespace, name }, port);
      return { ...backend, connect: async () => secured(scheme, await reach.connect(backend)) };
    }
    default:
      return nodeDestination(object as Node, { scheme, port, tls: ways.tls });
  }
}

/** Returns the parts of `https:web:8443`; scheme and port may be empty. */
export function splitName(text: string): { scheme: string; name: string; port: string } {
  const parts = text.split(":");
  if (parts.length === 1) return { scheme: "", name: text, port: "" };
  const [scheme = "", name = "", port = ""] = parts.length === 2 ? ["", ...parts] : parts;
  const isScheme = scheme === "" || scheme === "http" || scheme === "https";
  if (parts.length > 3 || name === "" || !isScheme) {
    throw badRequest(`invalid request "${text}": it is not [scheme:]name[:port]`);
  }
  return { scheme, name, port };
}

function podPort({ spec, metadata }: Pod, port: string): number {
  const ports = (spec.containers ?? []).flatMap((container) => container.ports ?? []);
  if (port === "") return ports[0]?.containerPort ?? 80;
  const number = /^\d+$/.test(port)
    ? Number(port)
    : ports.find((each) => each.name === port)?.containerPort;
  if (number !== undefined && number > 0 && number < 65_536) return number;
  throw badRequest(`no port "${port}" found for pod "${metadata.name}"`);
}

/** Returns the way to a node: its agent requires the server's certificate, other ports are anybody's. */
function nodeDestination(
  node: Node,
  { scheme, port: text, tls }: { scheme: string; port: string; tls: Ways["tls"] },
): Destination {
  const endpoint = endpointOf(node);
  const port = text === "" ? endpoint.port : Number(text);
  if (!Number.isInteger(port)) throw badRequest(`"${text}" is not a port`);
  const what = "trying to reach";
  if (port === endpoint.port) {
    const options = () => ({ ...tls(), ...onlyNode(endpoint.node) });
    return { ...endpoint, connect: () => dial({ ...endpoint, tls: options(), what }) };
  }
  const { host } = endpoint;
  return {
    host,
    port,
    connect: async () =>
      secured(scheme, await dial({ host: await proxyableAddress(host), port, what })),
  };
}

/** Wraps a connection for `https:`. Whoever proxies names no authority, so that any certificate will do. */
function secured(scheme: string, connection: Duplex): Duplex {
  if (scheme !== "https") return connection;
  return connectSecurely({ socket: connection, rejectUnauthorized: false });
}
