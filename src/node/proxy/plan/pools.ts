// The choice of backends that get traffic.

import type { Backend } from "./backends.ts";
import type { Endpoint } from "./frontend.ts";
import type { NodeFacts } from "./node.ts";

export interface Pools {
  /** The endpoints for the traffic policy "Cluster". */
  readonly cluster: readonly Endpoint[];
  /** The endpoints for the traffic policy "Local". */
  readonly local: readonly Endpoint[];
  /** The endpoints that still answer, whichever node or zone they are meant for. */
  readonly serving: readonly Endpoint[];
  /** Whether any node has an endpoint that can get traffic. */
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

/**
 * Returns the first list unless it is empty, such as terminating backends that still serve when none is
 * ready.
 */
function orElse(first: readonly Backend[], second: readonly Backend[]): readonly Backend[] {
  return first.length > 0 ? first : second;
}

/**
 * Returns the backends whose hints name this node or zone; all of them unless every backend has hints and
 * one is for us.
 */
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
