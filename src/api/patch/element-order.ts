/** The lists that determine the order of a merged one, and the keys of their elements. */
export interface Orders {
  /** The order that the patch asks for. */
  readonly wanted: readonly unknown[];
  /** The order the elements had before. */
  readonly live: readonly unknown[];
  readonly keyOf: (element: unknown) => unknown;
}

/**
 * Arranges the elements: those the patch knows of as it wants them, the others as they were, and each of the
 * others before the first of the patch's that it stood before.
 */
export function arrange(elements: readonly unknown[], orders: Orders): unknown[] {
  const { keyOf } = orders;
  const wanted = positions(orders.wanted, keyOf);
  const live = positions(orders.live, keyOf);
  const isWanted = (element: unknown): boolean => wanted.has(keyOf(element));
  const theirs = sortBy(elements.filter(isWanted), (element) => wanted.get(keyOf(element)));
  const others = sortBy(
    elements.filter((element) => !isWanted(element)),
    (element) => live.get(keyOf(element)),
  );
  const arranged: unknown[] = [];
  let next = 0;
  for (const element of theirs) {
    const place = live.get(keyOf(element));
    while (next < others.length && isBefore(live.get(keyOf(others[next])), place)) {
      arranged.push(others[next]);
      next += 1;
    }
    arranged.push(element);
  }
  return [...arranged, ...others.slice(next)];
}

function positions(
  list: readonly unknown[],
  keyOf: (element: unknown) => unknown,
): Map<unknown, number> {
  const places = new Map<unknown, number>();
  for (const [index, element] of list.entries()) {
    const key = keyOf(element);
    if (!places.has(key)) places.set(key, index);
  }
  return places;
}

function sortBy(
  elements: readonly unknown[],
  placeOf: (element: unknown) => number | undefined,
): unknown[] {
  return elements.toSorted((left, right) => (placeOf(left) ?? 0) - (placeOf(right) ?? 0));
}

function isBefore(left: number | undefined, right: number | undefined): boolean {
  return left !== undefined && right !== undefined && left < right;
}
