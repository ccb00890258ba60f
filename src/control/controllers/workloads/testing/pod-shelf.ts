// The pods of a simulation, and the events that happen to them.

import type { Pod } from "../../../../api/types/core.ts";
import { isActive, isReady } from "../pods/state.ts";
import { readyStatus } from "./objects.ts";
import { Shelf } from "./shelf.ts";

export type PodEvent = "ready" | "unready" | "fail" | "gone";

export interface Happening {
  readonly type: PodEvent;
  /** The index among the pods to which it can happen. */
  readonly which: number;
}

export interface Circumstances {
  readonly now: number;
  /** Returns the node of a pod; nothing happens to a pod without one. All are on one node if not given. */
  readonly nodeOf?: (pod: Pod) => string | undefined;
}

export class PodShelf extends Shelf<Pod> {
  get active(): Pod[] {
    return this.all.filter(isActive);
  }

  get available(): number {
    return this.active.filter(isReady).length;
  }

  /** Starts the deletion of a pod as the watcher, whichever version it has seen. */
  end({ metadata }: Pod, now: number): void {
    const pod = this.all.find((each) => each.metadata.uid === metadata.uid);
    if (pod === undefined) return;
    const deletionTimestamp = new Date(now).toISOString();
    this.update({ ...pod, metadata: { ...pod.metadata, deletionTimestamp } });
  }

  live({ type, which }: Happening, { now, nodeOf = () => "n" }: Circumstances): void {
    const pods = type === "gone" ? this.all.filter((pod) => !isActive(pod)) : this.active;
    const pod = pods[which % Math.max(1, pods.length)];
    if (pod === undefined) return;
    if (type === "gone") {
      if (pod.metadata.deletionTimestamp !== undefined) this.delete(pod);
      return;
    }
    const nodeName = nodeOf(pod);
    if (nodeName === undefined || (type === "ready" && isReady(pod))) return;
    const phase = type === "fail" ? "Failed" : "Running";
    const status =
      type === "ready" ? readyStatus(new Date(now).toISOString()) : ({ phase } as const);
    this.change({ ...pod, spec: { ...pod.spec, nodeName }, status });
  }
}
