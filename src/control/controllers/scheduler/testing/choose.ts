// A cluster on paper, with the scheduler's decision about it, for tests.

import type { Node, Pod } from "../../../../api/types/core.ts";
import { FakeRandom } from "../../../../base/host/random.fake.ts";
import { chooseNode } from "../choose-node.ts";
import { ClusterState } from "../cluster-state.ts";
import { needsOf } from "../pod-needs.ts";

export type On = readonly [pod: Pod, node: string];

export function stateOf(nodes: readonly Node[], placed: readonly On[] = []): ClusterState {
  const state = new ClusterState((name) => ({ name }));
  for (const node of nodes) state.setNode(node);
  for (const [pod, node] of placed) state.place(needsOf(pod), node);
  return state;
}

/** Returns the chosen node, or the reason that there is none. */
export function choose(pod: Pod, nodes: readonly Node[], placed: readonly On[] = []): string {
  const choice = chooseNode(needsOf(pod), stateOf(nodes, placed), new FakeRandom());
  return choice.node ?? choice.message;
}

export const zone = (name: string) => ({ labels: { zone: name } });
export const app = (name: string) => ({ metadata: { labels: { app: name } } });
export const appTerm = (name: string, topologyKey = "zone") => ({
  labelSelector: { matchLabels: { app: name } },
  topologyKey,
});
