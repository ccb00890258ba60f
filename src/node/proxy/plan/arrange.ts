import { type Endpoint, endpointText, type Pool, sameEndpoint } from "./frontend.ts";

/**
 * Arranges endpoints in places 0, 1, 2, … such that those that were there before keep their place:
 * however large the pool, an endpoint that comes or goes changes at most two places.
 */
export function arrange(before: Pool, endpoints: readonly Endpoint[]): Pool {
  if (before.length === 0) return endpoints.length === 0 ? before : inOrder(endpoints);
  const wanted = new Map(endpoints.map((endpoint) => [endpointText(endpoint), endpoint]));
  const places: (Endpoint | undefined)[] = before.map((endpoint) => {
    const key = endpointText(endpoint);
    const kept = wanted.get(key);
    wanted.delete(key);
    // The same object is returned, so that comparisons by identity see that nothing has changed.
    return kept !== undefined && sameEndpoint(endpoint, kept) ? endpoint : kept;
  });
  const arrivals = inOrder([...wanted.values()]);
  for (let place = 0; place < places.length; place++) {
    places[place] ??= arrivals.shift();
    while (place < places.length && places[place] === undefined) {
      const last = places.pop();
      if (place < places.length) places[place] = last;
    }
  }
  const arranged = [...places, ...arrivals].filter((endpoint) => endpoint !== undefined);
  const isUnchanged =
    arranged.length === before.length && arranged.every((endpoint, n) => endpoint === before[n]);
  return isUnchanged ? before : arranged;
}

/** Sorts endpoints by address and port, so that the order is the same everywhere. */
function inOrder(endpoints: readonly Endpoint[]): Endpoint[] {
  return endpoints.toSorted((one, other) => {
    if (one.address === other.address) return one.port - other.port;
    return one.address < other.address ? -1 : 1;
  });
}
