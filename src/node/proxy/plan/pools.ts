// Which of the backends get traffic.

import type { Backend } from "./backends.ts";
import type { Endpoint } from "./frontend.ts";
import type { NodeFacts } from "./node.ts";

export interface Pools {
  /** For the traffic policy "Cluster". */
  readonly cluster: readonly Endpoint[];
  /** For the traffic policy "Local". */
  readonly local: readonly Endpoint[];
  /** Those that still answer, meant for this node or not. */
  readonly serving: readonly Endpoint[];
  /** Whether there is one anywhere that traffic could go to. */
  readonly isServed: boolean;
}

export function choosePools(backends: readonly Backend[], node: NodeFacts): Pools {
  const isLocal = (backend: Backend): boolean => backend.node === node.name;
  const endpoints = (chosen: readonly Backend[]): readonly Endpoint[] =>
    chosen.map((backend) => ({
      address: backend.address,
      port: backend.port,
      isLocal: isLocal(backend),
    }));
  const ready = backends.filter(({ isReady }) => isReady);
  const leaving = backends.filter(({ isServing, isTerminating }) => isServing && isTerminating);
  const local = orElse(ready.filter(isLocal), leaving.filter(isLocal));
  return {
    cluster: endpoints(orElse(nearby(ready, node), leaving)),
    local: endpoints(local),
    serving: endpoints(backends.filter(({ isReady, isServing }) => isReady || isServing)),
    isServed: ready.length + leaving.length > 0,
  };
}

/** While nobody is ready, those that are on their way out but still answer are better than nothing. */
function orElse(first: readonly Backend[], second: readonly Backend[]): readonly Backend[] {
  return first.length > 0 ? first : second;
}

/** Those meant for this node or zone, provided that every one is meant for somebody, and one for us. */
function nearby(ready: readonly Backend[], node: NodeFacts): readonly Backend[] {
  const meantFor = (
    hints: "forNodes" | "forZones",
    name: string | undefined,
  ): readonly Backend[] => {
    if (name === undefined || !ready.every((backend) => (backend[hints] ?? []).length > 0)) {
      return [];
    }
    return ready.filter((backend) => backend[hints]?.includes(name));
  };
  return orElse(orElse(meantFor("forNodes", node.name), meantFor("forZones", node.zone)), ready);
}
