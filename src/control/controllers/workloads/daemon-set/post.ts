// A node with what a daemon set has on it.

import { isFinishedPod } from "../../../../api/kinds/pod.ts";
import type { DaemonSet } from "../../../../api/types/apps.ts";
import type { Node, Pod } from "../../../../api/types/core.ts";
import { createdAt, isAvailable, isTerminating } from "../pods/state.ts";
import { revisionLabel } from "../revisions/revision.ts";
import { judgeNodes, nodeOfPod } from "./nodes.ts";

export interface Post {
  readonly name: string;
  /** A pod should be there. */
  readonly shouldRun: boolean;
  /** One that is there may stay. */
  readonly mayStay: boolean;
  /** All that are there, to count. */
  readonly pods: readonly Pod[];
  /** Neither over nor ending, of the present revision and of others, the oldest first. */
  readonly fresh: readonly Pod[];
  readonly stale: readonly Pod[];
  /** Over, but not yet deleted. */
  readonly over: readonly Pod[];
  readonly isAvailable: (pod: Pod) => boolean;
}

export interface DaemonState {
  readonly set: DaemonSet;
  readonly nodes: readonly Node[];
  /** Its own. */
  readonly pods: readonly Pod[];
  /** Of the present revision. */
  readonly hash: string;
  readonly now: number;
}

export function postsOf({ set, nodes, pods, hash, now }: DaemonState): Post[] {
  const { minReadySeconds = 0, template } = set.spec;
  const judge = judgeNodes(template);
  const byNode = Map.groupBy(pods, nodeOfPod);
  const isFresh = ({ metadata }: Pod) => metadata.labels?.[revisionLabel] === hash;
  return nodes.map((node) => {
    const { name } = node.metadata;
    const here = byNode.get(name) ?? [];
    const lasting = here.filter((pod) => !isTerminating(pod)).toSorted(byAge);
    const running = lasting.filter((pod) => !isFinishedPod(pod));
    return {
      name,
      ...judge(node),
      pods: here,
      fresh: running.filter(isFresh),
      stale: running.filter((pod) => !isFresh(pod)),
      over: lasting.filter(isFinishedPod),
      isAvailable: (pod) => isAvailable(pod, { minReadySeconds, now }),
    };
  });
}

export function byAge(left: Pod, right: Pod): number {
  const difference = createdAt(left) - createdAt(right);
  return difference || (left.metadata.name < right.metadata.name ? -1 : 1);
}
