// One pod on every node that should have one, and the next version node by node.

import type { DaemonSet } from "../../../../api/types/apps.ts";
import type { Node, Pod } from "../../../../api/types/core.ts";
import { isTerminating } from "../pods/state.ts";
import { nodeOfPod } from "./nodes.ts";
import { byAge, type DaemonState, type Post, postsOf } from "./post.ts";
import { updateDaemons } from "./update.ts";

export interface DaemonPlan {
  /** Names of nodes. */
  readonly create: readonly string[];
  readonly remove: readonly Pod[];
  /** Nodes on which pods have failed. */
  readonly failed: readonly string[];
  readonly posts: readonly Post[];
  /** When a node that waits may be tried again. */
  readonly againInMs: number | undefined;
}

/** No more than so many at a time, so that others get their turn. */
const burst = 250;

/** `retryIn` says how long a node must wait before a failed pod on it is replaced. */
export function planDaemons(state: DaemonState, retryIn: (node: string) => number): DaemonPlan {
  const { set, nodes, pods } = state;
  const posts = postsOf(state);
  if (set.metadata.deletionTimestamp !== undefined) {
    return { create: [], remove: [], failed: [], posts, againInMs: undefined };
  }
  const troubled = posts.filter(({ mayStay, over }) => mayStay && over.length > 0);
  const waits = troubled.map(({ name }) => retryIn(name)).filter((wait) => wait > 0);
  const failed = troubled.filter(({ name }) => retryIn(name) === 0);
  const update = updateDaemons(set, posts);
  const missing = posts.filter(({ shouldRun, pods: here }) => shouldRun && here.length === 0);
  const remove = [
    ...withoutNode(pods, nodes),
    ...failed.flatMap(({ over }) => over),
    ...posts.flatMap((post) => unwanted(post, isSurging(set))),
    ...update.remove,
  ];
  return {
    create: [...missing.map(({ name }) => name), ...update.create].slice(0, burst),
    remove: [...new Set(remove)].slice(0, burst),
    failed: failed.map(({ name }) => name),
    posts,
    againInMs: waits.length === 0 ? undefined : Math.min(...waits),
  };
}

/** Nobody will ever place a pod that is meant for a node that is gone. */
function withoutNode(pods: readonly Pod[], nodes: readonly Node[]): Pod[] {
  const known = new Set(nodes.map(({ metadata }) => metadata.name));
  return pods.filter(
    (pod) => !pod.spec.nodeName && !known.has(nodeOfPod(pod)) && !isTerminating(pod),
  );
}

function isSurging({ spec }: DaemonSet): boolean {
  const { type, rollingUpdate } = spec.updateStrategy ?? {};
  const { maxSurge = 0 } = rollingUpdate ?? {};
  return type !== "OnDelete" && maxSurge !== 0 && maxSurge !== "0%";
}

/** One pod of a node is enough, or one of each revision as long as they take turns. */
function unwanted({ mayStay, fresh, stale, over }: Post, mayHaveBoth: boolean): Pod[] {
  if (!mayStay) return [...fresh, ...stale, ...over];
  if (mayHaveBoth) return [...fresh.slice(1), ...stale.slice(1)];
  return [...fresh, ...stale].toSorted(byAge).slice(1);
}
