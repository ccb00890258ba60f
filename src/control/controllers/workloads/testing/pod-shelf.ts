// The pods of a simulation, and what becomes of them.

import type { Pod } from "../../../../api/types/core.ts";
import { isActive, isReady } from "../pods/state.ts";
import { readyStatus } from "./objects.ts";
import { Shelf } from "./shelf.ts";

export type PodEvent = "ready" | "unready" | "fail" | "gone";

export interface Happening {
  readonly type: PodEvent;
  /** One of those that it can happen to. */
  readonly which: number;
}

export interface Circumstances {
  readonly now: number;
  /** Where it runs; nothing happens to a pod that runs nowhere. All on one node when not given. */
  readonly nodeOf?: (pod: Pod) => string | undefined;
}

export class PodShelf extends Shelf<Pod> {
  get active(): Pod[] {
    return this.all.filter(isActive);
  }

  get available(): number {
    return this.active.filter(isReady).length;
  }

  /** By the watcher, whichever version it has seen. */
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
