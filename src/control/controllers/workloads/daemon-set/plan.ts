// Plans a DaemonSet: one pod on every eligible node, and updates node by node.

import type { DaemonSet } from "../../../../api/types/apps.ts";
import type { Node, Pod } from "../../../../api/types/core.ts";
import { isTerminating } from "../pods/state.ts";
import { nodeOfPod } from "./nodes.ts";
import { byAge, type DaemonState, type Post, postsOf } from "./post.ts";
import { updateDaemons } from "./update.ts";

export interface DaemonPlan {
  /** The names of nodes on which to create a pod. */
  readonly create: readonly string[];
  readonly remove: readonly Pod[];
  /** The nodes on which pods have failed. */
  readonly failed: readonly string[];
  readonly posts: readonly Post[];
  /** How long until a delayed node may be tried again. */
  readonly againInMs: number | undefined;
}

/** The most pods at a time, so that other workloads get their turn. */
const burst = 250;

/** Plans the pods; `retryIn` returns how long a node must wait before a failed pod on it is replaced. */
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

/** Returns the pods meant for nodes that are gone, which nobody would ever place. */
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

/** Returns the surplus pods of a node: all but one, or but one of each revision during a surge. */
function unwanted({ mayStay, fresh, stale, over }: Post, mayHaveBoth: boolean): Pod[] {
  if (!mayStay) return [...fresh, ...stale, ...over];
  if (mayHaveBoth) return [...fresh.slice(1), ...stale.slice(1)];
  return [...fresh, ...stale].toSorted(byAge).slice(1);
}
