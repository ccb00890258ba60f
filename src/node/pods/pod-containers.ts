// The lookup of pods and their containers for the rest of the agent.

import type { Pod } from "../../api/types/core.ts";
import type { PodContainers } from "./port.ts";
import type { PodUnit } from "./unit/pod-unit.ts";

export function podContainers(units: () => Iterable<PodUnit>): PodContainers {
  const find = ({ namespace, name, uid }: { namespace: string; name: string; uid?: string }) =>
    [...units()].findLast(
      ({ pod, uid: own }) =>
        pod.metadata.namespace === namespace &&
        pod.metadata.name === name &&
        (uid === undefined || uid === own || uid === pod.metadata.uid),
    );
  return {
    async find(pod, container, { previous = false } = {}) {
      return find(pod)?.containerStates(container)[previous ? 1 : 0];
    },
    async networkOf(pod) {
      const unit = find(pod);
      if (unit?.pod.spec.hostNetwork === true) return { namespace: undefined, addresses: [] };
      const namespace = unit?.sandbox?.namespaces.network;
      const addresses = (unit?.sandbox?.addresses ?? []).map(({ address }) => address);
      return namespace === undefined ? undefined : { namespace, addresses };
    },
    list: (): readonly Pod[] => [...units()].map(({ pod }) => pod),
  };
}
