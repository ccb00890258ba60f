// Detects silent nodes: sets their conditions to Unknown, taints them, and takes their pods out of services.

import { type Again, Controller } from "../../../api/client/controller.ts";
import { isNotFound } from "../../../api/client/errors.ts";
import { byNode } from "../../../api/client/informer.ts";
import { timestamp } from "../../../api/fields/timestamp.ts";
import type { Node, NodeCondition, Pod } from "../../../api/types/core.ts";
import type { ControllerContext } from "../context.ts";
import { Heartbeats } from "./heartbeats.ts";
import { changedCondition, conditionOf } from "./node-condition.ts";
import { changedTaints } from "./wanted-taints.ts";

export interface LifecycleOptions {
  /** How long a node may be silent; 40 seconds if not given. */
  readonly graceMs?: number | undefined;
}

const leaseNamespace = "kube-node-lease";
const reported = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];
const concurrency = 4;

export function lifecycleController(
  context: ControllerContext,
  { graceMs = 40_000 }: LifecycleOptions = {},
): Controller {
  const { client, informers, recorder, clock } = context;
  const nodes = client.resource("v1", "Node");
  const pods = client.resource("v1", "Pod");
  const nodeInformer = informers.of(nodes);
  const podInformer = informers.of(pods, { indexes: [byNode] });
  const leases = informers.of(client.resource("coordination.k8s.io/v1", "Lease"), {
    namespace: leaseNamespace,
  });
  const heartbeats = new Heartbeats(clock);

  const reconcile = async (name: string, signal: AbortSignal): Promise<Again | void> => {
    const node = nodeInformer.get(name);
    if (node === undefined) {
      heartbeats.forget(name);
      return;
    }
    heartbeats.observe(node, leases.get(`${leaseNamespace}/${name}`));
    const silence = heartbeats.silence(name);
    const isSilent = silence >= graceMs;
    const conditions = isSilent ? silentConditions(node, clock.now()) : [];
    if (conditions.length > 0) {
      const strategic = { status: { conditions } };
      await nodes.patchStatus({ name }, { strategic }, { signal });
      if (conditions.some(({ type }) => type === "Ready")) {
        recorder.record(node, {
          type: "Normal",
          reason: "NodeNotReady",
          message: `Node ${name} status is now: NodeNotReady`,
        });
      }
    } else {
      await taint(node, signal);
    }
    if (isSilent) await unready(name, signal);
    return { againInMs: isSilent ? graceMs : graceMs - silence };
  };

  const taint = async (node: Node, signal: AbortSignal): Promise<void> => {
    const mayEvict = !heartbeats.areAllSilent(graceMs);
    const taints = changedTaints(node, { now: clock.now(), mayEvict });
    if (taints === undefined) return;
    const { name, resourceVersion = "" } = node.metadata;
    const merge = { metadata: { resourceVersion }, spec: { taints } };
    await nodes.patch({ name }, { merge }, { signal });
  };

  /** Marks the pods of a silent node as not ready, since the node cannot do it. */
  const unready = async (name: string, signal: AbortSignal): Promise<void> => {
    const ready = podInformer.by(byNode, name).filter(isReady);
    await Promise.all(ready.map((pod) => withdraw(pod, signal)));
  };

  const withdraw = async (pod: Pod, signal: AbortSignal): Promise<void> => {
    const lastTransitionTime = timestamp(clock.now());
    const conditions = [
      { type: "Ready", status: "False", reason: "NodeNotReady", lastTransitionTime },
    ];
    const strategic = { metadata: { uid: pod.metadata.uid }, status: { conditions } };
    try {
      await pods.patchStatus(pod.metadata, { strategic }, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  };

  return new Controller({
    ...context,
    sources: [nodeInformer, leases.mapped(({ metadata }) => [metadata.name])],
    concurrency,
    reconcile,
  });
}

/** Returns the conditions of a silent node: all that it used to report are unknown. */
function silentConditions(node: Node, now: number): NodeCondition[] {
  return reported.flatMap((type) => {
    const before = conditionOf(node, type);
    if (before === undefined && type !== "Ready") return [];
    const isNew = before === undefined || before.reason === "NodeStatusNeverUpdated";
    const reason = isNew ? "NodeStatusNeverUpdated" : "NodeStatusUnknown";
    const message = isNew
      ? "The node never reported its status."
      : "The node stopped reporting its status.";
    return changedCondition(node, { type, status: "Unknown", reason, message }, now) ?? [];
  });
}

function isReady({ status }: Pod): boolean {
  return (status?.conditions ?? []).some((each) => each.type === "Ready" && each.status === "True");
}
