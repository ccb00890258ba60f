// Connects the scheduler to the API: pods are bound through their binding, and refused in their status.

import { isConflict, isNotFound } from "../../../api/client/errors.ts";
import { bindPod } from "../../../api/client/subresources.ts";
import { timestamp } from "../../../api/fields/timestamp.ts";
import { rule } from "../../../api/kinds/rbac.ts";
import type { Pod } from "../../../api/types/core.ts";
import type { ControllerBase, ControllerEntry } from "../context.ts";
import { disruptionBudgets, preemptor } from "./preemptor.ts";
import { Scheduler } from "./scheduler.ts";
import { schedulerStorage, volumeBinder } from "./scheduler-storage.ts";

export const scheduling: ControllerEntry = {
  name: "scheduler",
  rights: [rule("create", "core", "pods/binding")],
  create: schedulerController,
};

function schedulerController(base: ControllerBase): Scheduler {
  const { client, informers, recorder, clock, random, log } = base;
  const pods = client.resource("v1", "Pod");

  const bind = async (pod: Pod, node: string, signal: AbortSignal): Promise<boolean> => {
    const { namespace, name } = pod.metadata;
    try {
      await bindPod(pods, pod.metadata, { node, signal });
    } catch (error) {
      if (isNotFound(error)) return false;
      // The pod itself tells whether another write was faster or only the response got lost.
      if (!isConflict(error) && signal.aborted) throw error;
      if (!(await isOn(pod, node, signal))) throw error;
    }
    recorder.record(pod, {
      type: "Normal",
      reason: "Scheduled",
      message: `Successfully assigned ${namespace}/${name} to ${node}`,
    });
    return true;
  };

  const isOn = async (pod: Pod, node: string, signal: AbortSignal): Promise<boolean> => {
    try {
      const now = await pods.get(pod.metadata, { signal });
      return now.metadata.uid === pod.metadata.uid && now.spec.nodeName === node;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  };

  const refuse = async (pod: Pod, message: string, signal: AbortSignal): Promise<void> => {
    recorder.record(pod, { type: "Warning", reason: "FailedScheduling", message });
    const before = pod.status?.conditions?.find(({ type }) => type === "PodScheduled");
    if (before?.reason === "Unschedulable" && before.message === message) return;
    const now = timestamp(clock.now());
    const condition = {
      type: "PodScheduled",
      status: "False",
      reason: "Unschedulable",
      message,
      lastProbeTime: null,
      lastTransitionTime: before?.status === "False" ? before.lastTransitionTime : now,
    };
    const patch = { metadata: { uid: pod.metadata.uid }, status: { conditions: [condition] } };
    try {
      await pods.patchStatus(pod.metadata, { strategic: patch }, { signal });
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  };

  const preempt = preemptor({ client, recorder, clock });
  const storage = schedulerStorage({ client, informers, clock });
  return new Scheduler({
    storage,
    bindVolumes: volumeBinder(storage, { client, informers, clock }),
    preempt,
    budgets: disruptionBudgets(informers.of(client.resource("policy/v1", "PodDisruptionBudget"))),
    pods: informers.of(pods),
    nodes: informers.of(client.resource("v1", "Node")),
    namespaces: informers.of(client.resource("v1", "Namespace")),
    bind,
    refuse,
    clock,
    random,
    log,
  });
}
