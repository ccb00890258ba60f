// Removes orphaned pods: those of nodes that do not exist.

import { type Again, Controller } from "../../../api/client/controller.ts";
import { isConflict, isNotFound } from "../../../api/client/errors.ts";
import { byNode } from "../../../api/client/informer.ts";
import { keyOf } from "../../../api/client/objects.ts";
import type { ControllerContext } from "../context.ts";

export interface PodGcOptions {
  /** How long a node may be missing, since one that is registered anew keeps its pods; 40 s if not given. */
  readonly graceMs?: number | undefined;
}

export function podGcController(
  context: ControllerContext,
  { graceMs = 40_000 }: PodGcOptions = {},
): Controller {
  const { client, informers, recorder, clock } = context;
  const pods = client.resource("v1", "Pod");
  const podInformer = informers.of(pods, { indexes: [byNode] });
  const nodes = client.resource("v1", "Node");
  const nodeInformer = informers.of(nodes);
  const missingSince = new Map<string, number>();

  const reconcile = async (node: string, signal: AbortSignal): Promise<Again | void> => {
    const orphans = podInformer.by(byNode, node);
    if (nodeInformer.get(node) !== undefined || orphans.length === 0) {
      missingSince.delete(node);
      return;
    }
    const since = missingSince.get(node) ?? clock.monotonic();
    missingSince.set(node, since);
    const wait = since + graceMs - clock.monotonic();
    if (wait > 0) return { againInMs: wait };
    if (await exists(node, signal)) return;
    for (const pod of orphans) {
      const { uid = "" } = pod.metadata;
      const message = `The node ${node} of pod ${keyOf(pod)} does not exist`;
      recorder.record(pod, { type: "Warning", reason: "NodeGone", message });
      try {
        const preconditions = { uid };
        await pods.delete(pod.metadata, { gracePeriodSeconds: 0, preconditions, signal });
      } catch (error) {
        if (!isNotFound(error) && !isConflict(error)) throw error;
      }
    }
  };

  const exists = async (name: string, signal: AbortSignal): Promise<boolean> => {
    try {
      await nodes.get({ name }, { signal });
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  };

  return new Controller({
    ...context,
    sources: [nodeInformer, podInformer.mapped(byNode)],
    reconcile,
  });
}
