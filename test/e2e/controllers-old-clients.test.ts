// Clients of three ages work on the same objects in turn: one that knows everything, stock
// @kubernetes/client-node, which drops the fields it does not know, and one from before there were lists.
import assert from "node:assert/strict";
import { test } from "node:test";
import { CoreV1Api, KubeConfig } from "@kubernetes/client-node";
import { startServer, type TestServer } from "../../src/control/apiserver/testing/start.ts";

const rounds = 1000;
const namespace = "default";
const name = "shared";
const property = "service.kubernetes.io/service-controller-name";

/** What a client that knows everything has written last. */
interface Model {
  podIPs: { ip: string; properties?: Record<string, string> }[];
  /** Of the one endpoint. */
  ips: string[];
  endpointFamily: string;
  clusterIPs: string[];
  /** Counted by whoever wrote last. */
  touched: Record<Kind, string>;
}

type Kind = "pods" | "endpoints" | "services";
type Json = Record<string, unknown>;
const kinds: readonly Kind[] = ["pods", "endpoints", "services"];

test(`[POD-10] [POD-3] [SVC-1] [EP-1] ${rounds} rounds of old and new clients lose nothing`, async () => {
  const settings = { serviceCidrs: ["10.96.0.0/16", "fd00:96::/112"], now: () => new Date() };
  await using server = await startServer({ settings });
  const random = randomNumbers(7);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const model = await setUp(server);
  const writers = {
    stock: stockClient(server),
    ancient: ancientClient(server, model, random),
    recent: recentClient(server, model, random),
  };
  for (let round = 0; round < rounds; round++) {
    const kind = pick(kinds);
    const who = pick(["stock", "ancient", "recent"] as const);
    const mark = `${who} ${round}`;
    await writers[who](kind, mark);
    model.touched[kind] = mark;
    await check(server, model, `after round ${round}: ${who} wrote ${kind}`);
  }
});

async function setUp(server: TestServer): Promise<Model> {
  const metadata = { namespace, name };
  const containers = [{ name: "main", image: "echo" }];
  await send(server, "POST", "pods", { metadata, spec: { containers } });
  const podIPs = [{ ip: "10.0.0.1", properties: { note: "first" } }, { ip: "fd00::1" }];
  const pod = await get(server, "pods");
  const status = { ...(pod["status"] as Json), podIPs, podIP: "10.0.0.1" };
  await write(server, "pods", { ...pod, status });
  const ips = ["10.0.0.1", "fd00::1"];
  const subsets = [{ addresses: [{ ip: ips[0], ips }], ports: [{ port: 80 }] }];
  await send(server, "POST", "endpoints", { metadata, subsets });
  const { spec } = await send(server, "POST", "services", {
    metadata,
    spec: { ports: [{ port: 80 }], ipFamilyPolicy: "RequireDualStack", endpointFamily: "ipv4" },
  });
  const { clusterIPs } = spec as { clusterIPs: string[] };
  const touched = { pods: "", endpoints: "", services: "" };
  return { podIPs, ips, endpointFamily: "ipv4", clusterIPs, touched };
}

/** Reads, marks and writes back objects as its own types have them. */
function stockClient({ url, authority, client }: TestServer) {
  const config = new KubeConfig();
  const encode = (text: string) => Buffer.from(text).toString("base64");
  config.loadFromClusterAndUser(
    { name: "c", server: url, caData: encode(authority), skipTLSVerify: false },
    { name: "u", certData: encode(client.certificate), keyData: encode(client.key) },
  );
  const api = config.makeApiClient(CoreV1Api);
  const place = { namespace, name };
  return async (kind: Kind, mark: string): Promise<void> => {
    if (kind === "pods") {
      const body = await api.readNamespacedPod(place);
      assert.ok(!JSON.stringify(body).includes('"note"'), "the client drops what it does not know");
      (body.status ??= {}).message = mark;
      await api.replaceNamespacedPodStatus({ ...place, body });
    } else if (kind === "endpoints") {
      const body = await api.readNamespacedEndpoints(place);
      (body.metadata ??= {}).annotations = { mark };
      await api.replaceNamespacedEndpoints({ ...place, body });
    } else {
      const body = await api.readNamespacedService(place);
      ((body.metadata ??= {}).annotations ??= {})["mark"] = mark;
      await api.replaceNamespacedService({ ...place, body });
    }
  };
}

/** Knows the singular fields only: writes whole objects without the lists, or patches the singular. */
function ancientClient(server: TestServer, model: Model, random: () => number) {
  return async (kind: Kind, mark: string): Promise<void> => {
    if (kind === "pods" && random() < 0.3) {
      const ip = `10.7.0.${1 + Math.floor(random() * 200)}`;
      const body = { status: { podIP: ip, message: mark } };
      const headers = { "content-type": "application/merge-patch+json" };
      const target = `/api/v1/namespaces/${namespace}/pods/${name}/status`;
      const { status, text } = await server.send("PATCH", target, { body, headers });
      assert.equal(status, 200, text);
      model.podIPs = [{ ip }, ...model.podIPs.slice(1)];
      return;
    }
    const object = await get(server, kind);
    forgetLists(object);
    await write(server, kind, marked(object, kind, mark));
  };
}

function forgetLists(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  const lists = ["podIPs", "hostIPs", "ips", "clusterIPs", "ipFamilies", "ipFamilyPolicy"];
  for (const field of [...lists, "endpointFamily"]) delete (value as Json)[field];
  for (const inner of Object.values(value)) forgetLists(inner);
}

/** Changes what the others do not know, and tells the model. */
function recentClient(server: TestServer, model: Model, random: () => number) {
  return async (kind: Kind, mark: string): Promise<void> => {
    const object = await get(server, kind);
    const number = 2 + Math.floor(random() * 200);
    if (kind === "pods") {
      const note = { note: mark, [property]: "somebody" };
      model.podIPs = [
        { ip: `10.0.0.${number}`, properties: { note: `first ${mark}` } },
        { ip: `fd00::${number}` },
        { ip: `10.9.0.${number}`, properties: note },
      ];
      const { podIPs } = model;
      object["status"] = { ...(object["status"] as Json), podIPs, podIP: podIPs[0]?.ip };
    } else if (kind === "endpoints") {
      model.ips = random() < 0.3 ? [`10.0.0.${number}`] : [`fd00::${number}`, `10.0.0.${number}`];
      const addresses = [{ ip: model.ips[0], ips: model.ips }];
      object["subsets"] = [{ addresses, ports: [{ port: 80 }] }];
    } else {
      const families = ["ipv4", "ipv6", "dual-stack"];
      model.endpointFamily = families[number % 3] ?? "ipv4";
      object["spec"] = { ...(object["spec"] as Json), endpointFamily: model.endpointFamily };
    }
    await write(server, kind, marked(object, kind, mark));
  };
}

async function check(server: TestServer, model: Model, when: string): Promise<void> {
  const pod = (await get(server, "pods"))["status"] as Json;
  assert.deepEqual(pod["podIPs"], model.podIPs, when);
  assert.equal(pod["podIP"], model.podIPs[0]?.ip, when);
  const endpoints = await get(server, "endpoints");
  const [subset] = endpoints["subsets"] as { addresses: { ip: string; ips: string[] }[] }[];
  assert.deepEqual(subset?.addresses, [{ ip: model.ips[0], ips: model.ips }], when);
  const service = await get(server, "services");
  const spec = service["spec"] as Json;
  assert.equal(spec["endpointFamily"], model.endpointFamily, when);
  assert.deepEqual(spec["clusterIPs"], model.clusterIPs, when);
  assert.equal(spec["clusterIP"], model.clusterIPs[0], when);
  const marks = {
    pods: (pod["message"] as string | undefined) ?? "",
    endpoints: annotation(endpoints),
    services: annotation(service),
  };
  assert.deepEqual(marks, model.touched, `${when}: the change itself is there`);
}

function marked(object: Json, kind: Kind, mark: string): Json {
  if (kind === "pods")
    return { ...object, status: { ...(object["status"] as Json), message: mark } };
  const metadata = object["metadata"] as Json;
  const annotations = { ...(metadata["annotations"] as Json | undefined), mark };
  return { ...object, metadata: { ...metadata, annotations } };
}

function annotation({ metadata }: Json): string {
  const { annotations } = metadata as { annotations?: Record<string, string> };
  return annotations?.["mark"] ?? "";
}

async function get(server: TestServer, kind: Kind): Promise<Json> {
  return await send(server, "GET", `${kind}/${name}`);
}

async function write(server: TestServer, kind: Kind, object: Json): Promise<void> {
  await send(server, "PUT", kind === "pods" ? `pods/${name}/status` : `${kind}/${name}`, object);
}

async function send(
  server: TestServer,
  method: string,
  path: string,
  body?: object,
): Promise<Json> {
  const target = `/api/v1/namespaces/${namespace}/${path}`;
  const { status, json, text } = await server.send(
    method,
    target,
    body === undefined ? {} : { body },
  );
  assert.ok(status < 300, `${method} ${path}: ${text}`);
  return json;
}

/** The same numbers every time. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
