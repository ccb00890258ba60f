// A post: a node, and the pods of a DaemonSet on it.

import { isFinishedPod } from "../../../../api/kinds/pod.ts";
import type { DaemonSet } from "../../../../api/types/apps.ts";
import type { Node, Pod } from "../../../../api/types/core.ts";
import { createdAt, isAvailable, isTerminating } from "../pods/state.ts";
import { revisionLabel } from "../revisions/revision.ts";
import { judgeNodes, nodeOfPod } from "./nodes.ts";

export interface Post {
  readonly name: string;
  /** Whether a pod should be on the node. */
  readonly shouldRun: boolean;
  /** Whether a present pod may stay. */
  readonly mayStay: boolean;
  /** All pods on the node, for counting. */
  readonly pods: readonly Pod[];
  /**
   * The pods that are neither finished nor terminating, of the present revision and of others, the oldest
   * first.
   */
  readonly fresh: readonly Pod[];
  readonly stale: readonly Pod[];
  /** The pods that are finished, but not yet deleted. */
  readonly over: readonly Pod[];
  readonly isAvailable: (pod: Pod) => boolean;
}

export interface DaemonState {
  readonly set: DaemonSet;
  readonly nodes: readonly Node[];
  /** The DaemonSet's own pods. */
  readonly pods: readonly Pod[];
  /** The hash of the present revision. */
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
