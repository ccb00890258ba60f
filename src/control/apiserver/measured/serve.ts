// The objects of metrics.k8s.io: what pods and nodes use at present. They are not stored but measured, by the
// nodes themselves, when somebody asks.

import type { Node, Pod } from "../../../api/types/core.ts";
import type { Core } from "../core.ts";
import { notFound, unavailable } from "../errors.ts";
import type { ResourceExchange } from "../http/exchange.ts";
import { sendPlain } from "../http/respond.ts";
import { collectionId } from "../keys.ts";
import { filterOf } from "../lists/filter.ts";
import { awaitFreshness } from "../lists/freshness.ts";
import type { NodeSummary } from "../ports.ts";
import type { ServedResource } from "../resources/served.ts";
import { nodeMetrics, podMetrics } from "./metrics.ts";

export const metricsGroup = "metrics.k8s.io";

export async function serveMeasured(
  core: Core,
  exchange: ResourceExchange,
  resource: ServedResource,
): Promise<void> {
  await awaitFreshness(core, undefined);
  const { kind } = resource;
  const objects = await measure(core, exchange, resource);
  const apiVersion = `${resource.group}/${resource.version}`;
  const { name } = exchange.target;
  if (name === undefined) {
    sendPlain(exchange, { kind: `${kind}List`, apiVersion, metadata: {}, items: objects });
    return;
  }
  const [object] = objects;
  if (object === undefined) throw notFound(resource.groupResource, name);
  sendPlain(exchange, { kind, apiVersion, ...object });
}

async function measure(
  core: Core,
  { target, info }: ResourceExchange,
  resource: ServedResource,
): Promise<object[]> {
  const isNodes = resource.plural === "nodes";
  const measured = core.catalogue.find("", "v1", resource.plural);
  if (measured === undefined) return [];
  const filter = filterOf(target, info.query, measured);
  const items = core.cache
    .collection(measured.collection)
    .list(isNodes ? undefined : target.namespace)
    .filter((item) => filter.matches(item))
    .filter(({ name }) => target.name === undefined || name === target.name)
    .map((item) => item.parse() as Node | Pod);
  if (isNodes) {
    const nodes = items as Node[];
    const summaries = await summariesOf(core, nodes);
    return nodes.flatMap((node) => nodeMetrics(node, summaries.get(node.metadata.name)) ?? []);
  }
  const pods = (items as Pod[]).filter(({ status }) => status?.phase === "Running");
  const names = new Set(pods.map(({ spec }) => spec.nodeName ?? ""));
  const collection = core.cache.collection(collectionId("", "nodes"));
  const nodes = [...names].flatMap((name) => collection.get("", name)?.parse() ?? []) as Node[];
  const summaries = await summariesOf(core, nodes);
  return pods.flatMap((pod) => podMetrics(pod, summaries.get(pod.spec.nodeName ?? "")) ?? []);
}

/** Asks nodes side by side; those that do not answer are left out, as one that is down must not hide all. */
async function summariesOf(
  core: Core,
  nodes: readonly Node[],
): Promise<ReadonlyMap<string, NodeSummary>> {
  const { streaming, log } = core;
  if (streaming?.summary === undefined) {
    throw unavailable("this server has no connection to nodes");
  }
  const found = new Map<string, NodeSummary>();
  await Promise.all(
    nodes.map(async (node) => {
      try {
        const summary = await streaming.summary?.(node);
        if (summary !== undefined) found.set(node.metadata.name, summary);
      } catch (error) {
        log.warn("Cannot read what a node uses", { node: node.metadata.name, error });
      }
    }),
  );
  return found;
}
