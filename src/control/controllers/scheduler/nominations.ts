// Nominations: pods for which others were evicted keep the room that is made, until they are bound.

import type { ClusterState } from "./cluster-state.ts";
import type { PodNeeds } from "./pod-needs.ts";

export class Nominations {
  readonly #nominated = new Map<string, { readonly needs: PodNeeds; readonly node: string }>();

  set(needs: PodNeeds, node: string): void {
    this.#nominated.set(needs.key, { needs, node });
  }

  delete(key: string): void {
    this.#nominated.delete(key);
  }

  /** Runs a decision about a pod while nominated pods of at least its priority count as placed. */
  during<T>(pod: PodNeeds, state: ClusterState, decide: () => T): T {
    const placed: string[] = [];
    for (const [key, { needs, node }] of this.#nominated) {
      if (key === pod.key || needs.priority < pod.priority) continue;
      if (state.placeOf(key) !== undefined || state.node(node) === undefined) continue;
      state.place(needs, node);
      placed.push(key);
    }
    try {
      return decide();
    } finally {
      for (const key of placed) state.remove(key);
    }
  }

  /** Whether pods of lower priority are still leaving the node that the pod is nominated for. */
  isWaiting({ key, priority }: PodNeeds, state: ClusterState): boolean {
    const { node = "" } = this.#nominated.get(key) ?? {};
    const pods = state.node(node)?.pods.values() ?? [];
    return [...pods].some((pod) => pod.isTerminating && pod.priority < priority);
  }
}
