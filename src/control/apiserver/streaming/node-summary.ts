// What nodes say of their usage: asked when somebody wants to know, and remembered for a moment.

import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";
import type { SecureContextOptions } from "node:tls";
import type { Node } from "../../../api/types/core.ts";
import { unavailable } from "../errors.ts";
import type { NodeSummary } from "../ports.ts";
import { dial } from "./dial.system.ts";
import { endpointOf, onlyNode } from "./node-endpoint.ts";

/** How long an answer is good for: many users look at the same moment. */
const freshMs = 5_000;
const patienceMs = 10_000;

interface Known {
  readonly at: number;
  readonly answer: Promise<NodeSummary>;
}

export function nodeSummaries(tls: () => SecureContextOptions, now: () => number = Date.now) {
  const known = new Map<string, Known>();
  return (node: Node): Promise<NodeSummary> => {
    const { uid = "" } = node.metadata;
    const before = known.get(uid);
    if (before !== undefined && now() - before.at < freshMs) return before.answer;
    for (const [key, { at }] of known) if (now() - at >= freshMs) known.delete(key);
    const answer = ask(node, tls());
    known.set(uid, { at: now(), answer });
    // A failure is not remembered; whoever waits for it hears of it.
    answer.catch(() => known.delete(uid));
    return answer;
  };
}

async function ask(node: Node, tls: SecureContextOptions): Promise<NodeSummary> {
  const endpoint = endpointOf(node);
  const { host, port } = endpoint;
  const what = "dialing the node at";
  const options = { ...endpoint, what, timeoutMs: patienceMs };
  const connection = await dial({ ...options, tls: { ...tls, ...onlyNode(endpoint.node) } });
  try {
    const path = "/stats/summary";
    const outgoing = httpRequest({ host, port, path, createConnection: () => connection }).end();
    const signal = AbortSignal.timeout(patienceMs);
    const [incoming] = (await once(outgoing, "response", { signal })) as [IncomingMessage];
    if (incoming.statusCode !== 200) {
      throw unavailable(`node ${endpoint.node} answered ${incoming.statusCode} to ${path}`);
    }
    return (await json(incoming)) as NodeSummary;
  } finally {
    connection.destroy();
  }
}
