// Evicts pods from nodes with NoExecute taints, once their tolerations have run out.

import { type Again, Controller } from "../../../api/client/controller.ts";
import { isConflict, isNotFound } from "../../../api/client/errors.ts";
import { byNode } from "../../../api/client/informer.ts";
import { keyOf } from "../../../api/client/objects.ts";
import type { Node, Pod, Taint } from "../../../api/types/core.ts";
import type { ControllerContext } from "../context.ts";
import { evictionTime } from "./eviction.ts";

const concurrency = 8;

export function evictionController(context: ControllerContext): Controller {
  const { client, informers, recorder, clock } = context;
  const pods = client.resource("v1", "Pod");
  const podInformer = informers.of(pods, { indexes: [byNode] });
  const nodes = informers.of(client.resource("v1", "Node"));
  /** The times at which taints were first seen that have no time of their own. */
  const seen = new Map<string, number>();

  const reconcile = async (key: string, signal: AbortSignal): Promise<Again | void> => {
    const pod = podInformer.get(key);
    const { nodeName = "" } = pod?.spec ?? {};
    if (pod === undefined || nodeName === "" || pod.metadata.deletionTimestamp !== undefined)
      return;
    const { taints = [] } = nodes.get(nodeName)?.spec ?? {};
    const since = (taint: Taint) => sinceOf(nodeName, taint);
    const time = evictionTime(taints, pod.spec.tolerations ?? [], since);
    if (time === undefined) return;
    const wait = time - clock.now();
    if (wait > 0) return { againInMs: wait };
    await evict(pod, signal);
  };

  const sinceOf = (node: string, taint: Taint): number => {
    if (taint.timeAdded !== undefined) return Date.parse(taint.timeAdded);
    const id = idOf(node, taint);
    const known = seen.get(id) ?? clock.now();
    seen.set(id, known);
    return known;
  };

  const evict = async (pod: Pod, signal: AbortSignal): Promise<void> => {
    const { uid = "" } = pod.metadata;
    try {
      await pods.delete(pod.metadata, { preconditions: { uid }, signal });
    } catch (error) {
      if (isNotFound(error) || isConflict(error)) return;
      throw error;
    }
    const message = `Marking for deletion Pod ${keyOf(pod)}`;
    recorder.record(pod, { type: "Normal", reason: "TaintManagerEviction", message });
  };

  const podsOn = nodes.mapped((node) => {
    forgetGone(seen, node);
    return podInformer.by(byNode, node.metadata.name).map(keyOf);
  });

  return new Controller({
    ...context,
    sources: [podInformer, podsOn],
    concurrency,
    reconcile,
  });
}

/** Forgets taints that are gone: one that comes back counts anew. */
function forgetGone(seen: Map<string, number>, { metadata: { name }, spec }: Node): void {
  const present = new Set((spec.taints ?? []).map((taint) => idOf(name, taint)));
  for (const id of seen.keys()) {
    if (id.startsWith(`${name} `) && !present.has(id)) seen.delete(id);
  }
}

function idOf(node: string, { key, value = "" }: Taint): string {
  return `${node} ${key} ${value}`;
}
