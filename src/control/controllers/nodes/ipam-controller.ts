// Gives every node its pod CIDRs, once for its life.

import { type Again, Controller } from "../../../api/client/controller.ts";
import type { Node } from "../../../api/types/core.ts";
import type { Prefix } from "../../../base/net/prefix.ts";
import type { ControllerContext } from "../context.ts";
import { changedCondition, conditionOf } from "./node-condition.ts";
import { NoCidrLeftError, type NodeProvider } from "./provider.ts";

/** The key that stands for reservations of nodes that are gone. */
const leftovers = "";
const lookAgainMs = 30_000;
const condition = "NetworkUnavailable";
const exhausted = "NoPodCIDR";

export function ipamController(context: ControllerContext, provider: NodeProvider): Controller {
  const { client, informers, recorder, clock } = context;
  const nodes = client.resource("v1", "Node");
  const informer = informers.of(nodes);
  const waiting = new Set<string>();

  const reconcile = async (name: string, signal: AbortSignal): Promise<Again | void> => {
    const node = informer.get(name);
    if (node === undefined) {
      waiting.delete(name);
      await provider.releaseGone(signal);
      for (const each of waiting) controller.enqueueAfter(each, 0);
      return;
    }
    if ((node.spec.podCIDRs ?? []).length > 0 || node.metadata.deletionTimestamp !== undefined) {
      waiting.delete(name);
      return;
    }
    try {
      await give(node, await provider.podCidrs(node, signal), signal);
    } catch (error) {
      if (!(error instanceof NoCidrLeftError)) throw error;
      if (await provider.releaseGone(signal)) return { againInMs: 0 };
      waiting.add(name);
      await refuse(node, error, signal);
      return { againInMs: lookAgainMs };
    }
  };

  const give = async (node: Node, prefixes: readonly Prefix[], signal: AbortSignal) => {
    const podCIDRs = prefixes.map(String);
    if (podCIDRs.length === 0) return;
    const { name, uid = "" } = node.metadata;
    const merge = { metadata: { uid }, spec: { podCIDR: podCIDRs[0] ?? "", podCIDRs } };
    await nodes.patch({ name }, { merge }, { signal });
    waiting.delete(name);
    if (conditionOf(node, condition)?.reason === exhausted) {
      const message = `The node has the pod CIDRs ${podCIDRs.join(", ")}`;
      await report(node, { status: "False", reason: "PodCIDRAllocated", message }, signal);
    }
  };

  const refuse = async (node: Node, error: NoCidrLeftError, signal: AbortSignal) => {
    const { reason, message } = error;
    recorder.record(node, { type: "Warning", reason, message });
    await report(node, { status: "True", reason: exhausted, message }, signal);
  };

  const report = async (
    node: Node,
    state: { status: string; reason: string; message: string },
    signal: AbortSignal,
  ) => {
    const changed = changedCondition(node, { type: condition, ...state }, clock.now());
    if (changed === undefined) return;
    const strategic = { status: { conditions: [changed] } };
    await nodes.patchStatus(node.metadata, { strategic }, { signal });
  };

  const controller = new Controller({
    ...context,
    sources: [informer],
    reconcile,
  });
  controller.enqueue(leftovers);
  return controller;
}
