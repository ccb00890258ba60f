// Visits to a dashboard as pages make them, and one object of every kind that pages are told of.

import assert from "node:assert/strict";
import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { text as readText } from "node:stream/consumers";
import { type KindName, kindNames } from "../../src/inspect/dashboard/model/cluster.ts";
import { Mirror } from "../../src/inspect/dashboard/model/mirror.ts";
import type { Message } from "../../src/inspect/dashboard/model/wire.ts";

/** The header that pages send. */
export const own = { "x-tandem-dashboard": "1" };

export interface KindObject {
  readonly group: string;
  readonly resource: string;
  /** The path of its collection. */
  readonly path: string;
  /** The rest of an object, besides its name. */
  readonly body: object;
}

const vault = "namespaces/vault";
const networking = "networking.k8s.io";
const whereabouts = "whereabouts.cni.cncf.io";
const containers = [{ name: "main", image: "x", env: [{ name: "PASSWORD", value: "hunter2" }] }];

/** An object of each kind, by which it is seen whether somebody is told of the kind. */
export const kindObjects: Readonly<Record<KindName, KindObject>> = {
  nodes: { group: "", resource: "nodes", path: "/api/v1/nodes", body: {} },
  pods: core("pods", { spec: { containers } }),
  services: core("services", { spec: { ports: [{ port: 80 }] } }),
  slices: {
    group: "discovery.k8s.io",
    resource: "endpointslices",
    path: `/apis/discovery.k8s.io/v1/${vault}/endpointslices`,
    body: { addressType: "IPv6", endpoints: [] },
  },
  ingresses: {
    group: networking,
    resource: "ingresses",
    path: `/apis/${networking}/v1/${vault}/ingresses`,
    body: { spec: { defaultBackend: { service: { name: "x", port: { number: 80 } } } } },
  },
  serviceCidrs: {
    group: networking,
    resource: "servicecidrs",
    path: `/apis/${networking}/v1/servicecidrs`,
    body: { spec: { cidrs: ["10.200.0.0/24"] } },
  },
  policies: {
    group: networking,
    resource: "networkpolicies",
    path: `/apis/${networking}/v1/${vault}/networkpolicies`,
    body: { spec: { podSelector: {} } },
  },
  pools: {
    group: "tandem.internal",
    resource: "addresspools",
    path: "/apis/tandem.internal/v1/addresspools",
    body: { spec: { addresses: ["192.0.2.0/28"] } },
  },
  ipPools: {
    group: whereabouts,
    resource: "ippools",
    path: `/apis/${whereabouts}/v1alpha1/${vault}/ippools`,
    body: { spec: { range: "10.60.0.0/24", allocations: {} } },
  },
  nodeSlicePools: {
    group: whereabouts,
    resource: "nodeslicepools",
    path: `/apis/${whereabouts}/v1alpha1/${vault}/nodeslicepools`,
    body: { spec: { range: "10.60.0.0/24", sliceSize: "/28" } },
  },
};

function core(resource: string, body: object): KindObject {
  return { group: "", resource, path: `/api/v1/${vault}/${resource}`, body };
}

export interface Visited extends AsyncDisposable {
  readonly port: string;
  readonly code: string;
}

interface Asking {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

async function openPath({ port }: Visited, path: string, asking: Asking): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const outgoing = request({ host: "127.0.0.1", port, path, agent: false, ...asking }, resolve);
  outgoing.setHeader("host", asking.headers?.["host"] ?? `localhost:${port}`);
  outgoing.once("error", reject);
  outgoing.end(asking.body);
  return await promise;
}

export async function ask(visited: Visited, path: string, asking: Asking = {}): Promise<Answered> {
  const response = await openPath(visited, path, asking);
  const { statusCode: status = 0, headers } = response;
  return { status, headers, body: await readText(response) };
}

export async function logIn(visited: Visited): Promise<string> {
  const asking = { method: "POST", headers: own, body: visited.code };
  const { status, body } = await ask(visited, "/api/session", asking);
  assert.equal(status, 200, body);
  return (JSON.parse(body) as { token: string }).token;
}

/** Reads a stream until every kind has been read or refused. */
export async function readAll(
  visited: Visited,
  token: string,
  path = "/api/stream",
  kinds: readonly string[] = kindNames,
): Promise<{ mirror: Mirror; bytes: string }> {
  const response = await openPath(visited, path, { headers: { authorization: `Bearer ${token}` } });
  const mirror = new Mirror();
  let bytes = "";
  let done = 0;
  for await (const chunk of response.setEncoding("utf8") as AsyncIterable<string>) {
    bytes += chunk;
    const lines = bytes.split("\n");
    for (; done < lines.length - 1; done++) mirror.apply(JSON.parse(lines[done] ?? "") as Message);
    if (kinds.every((kind) => mirror.reading(kind).state !== "reading")) break;
  }
  response.destroy();
  return { mirror, bytes };
}
