// Reaches pods and services from wherever the server runs. Connections to pods go through the agent of their
// node, which proves with its certificate that it is that node, and connects to addresses of its own pods
// alone. Kubelets that do not offer this are passed by: the address itself is dialled then.
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { SecureContextOptions } from "node:tls";
import type { Node, Pod, Service } from "../../../api/types/core.ts";
import type { EndpointSlice } from "../../../api/types/discovery.ts";
import { dialProtocol } from "../../../base/streaming/dial.ts";
import { notFound, unavailable } from "../errors.ts";
import type { ObjectReader } from "../object-reader.ts";
import { dial, proxyableAddress } from "./dial.system.ts";
import { endpointOf, onlyNode } from "./node-endpoint.ts";
import { type Backend, chooseBackend } from "./service-backend.ts";

export interface Reach {
  /** Connects to an address of a pod, or to one outside of the pod network. */
  connect(backend: Backend): Promise<Duplex>;
  /** Returns a ready backend of a service; `port` is a number or name of the service, or empty. */
  backendOf(service: { namespace: string; name: string }, port: string): Backend;
}

export interface ReachOptions {
  readonly objects: ObjectReader;
  /** Returns the server's own present certificate, which agents trust. */
  readonly tls: () => SecureContextOptions;
  readonly random: () => number;
}

export function openReach({ objects, tls, random }: ReachOptions): Reach {
  const nodeOf = (pod: Pod): Node | undefined =>
    pod.spec.hostNetwork === true || !pod.spec.nodeName
      ? undefined
      : (objects.get("nodes", "", pod.spec.nodeName) as Node | undefined);

  return {
    async connect(backend) {
      const { pod: named, host, port } = backend;
      const pod = named && (objects.get("pods", named.namespace, named.name) as Pod | undefined);
      const node = pod && nodeOf(pod);
      const through = node && named && (await dialThrough(node, { ...backend, pod: named }, tls()));
      return through ?? (await dial({ host: await proxyableAddress(host), port, what: trying }));
    },
    backendOf({ namespace, name }, port) {
      const service = objects.get("services", namespace, name) as Service | undefined;
      if (service === undefined) throw notFound({ group: "", name: "services" }, name);
      const slices = objects.list("endpointslices", namespace) as Iterable<EndpointSlice>;
      return chooseBackend(service, slices, { port, random: random() });
    },
  };
}

const trying = "trying to reach";
const patienceMs = 30_000;

/** Connects through an agent; `undefined` when the node runs a kubelet that does not offer it. */
async function dialThrough(
  node: Node,
  { host, port, pod }: Backend & { readonly pod: { namespace: string; name: string } },
  tls: SecureContextOptions,
): Promise<Duplex | undefined> {
  const agent = endpointOf(node);
  const options = { ...tls, ...onlyNode(agent.node) };
  const connection = await dial({ ...agent, tls: options, what: "dialing the node at" });
  const query = new URLSearchParams({ address: host, port: String(port) }).toString();
  const outgoing = httpRequest({
    path: `/dial/${encodeURIComponent(pod.namespace)}/${encodeURIComponent(pod.name)}?${query}`,
    headers: { host: "node", connection: "Upgrade", upgrade: dialProtocol },
    createConnection: () => connection,
  });
  const timer = setTimeout(() => outgoing.destroy(new Error("no answer in time")), patienceMs);
  try {
    const answered = once(outgoing, "response") as Promise<[IncomingMessage]>;
    const upgraded = once(outgoing, "upgrade") as Promise<[IncomingMessage, Duplex, Buffer]>;
    outgoing.end();
    const [answer, socket, head] = await Promise.race([answered, upgraded]);
    if (socket !== undefined && head !== undefined) {
      // Connections may stay idle for long, such as those of webhooks between two requests.
      connection.setTimeout(0);
      if (head.length > 0) socket.unshift(head);
      return socket;
    }
    if (answer.statusCode === 404) {
      connection.destroy();
      return undefined;
    }
    throw new Error(await messageOf(answer));
  } catch (cause) {
    connection.destroy();
    const state = cause instanceof Error ? cause.message : String(cause);
    throw unavailable(`error ${trying} ${host} port ${port}: ${state}`, cause);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the words of an agent's refusal. */
async function messageOf(answer: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of answer) text = `${text}${String(chunk)}`.slice(0, 4096);
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    if (typeof message === "string") return message;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return `the node answered with status ${answer.statusCode}`;
}
