// "Did you mean …": the known name nearest to what was typed.

/** The nearest of the known names, or undefined when none is near enough to be a typing error. */
export function nearest(typed: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.floor(typed.length / 3) + 1;
  for (const name of known) {
    const distance = name.startsWith(typed) && typed.length > 2 ? 1 : editDistance(typed, name);
    if (distance < bestDistance || (distance === bestDistance && best === undefined)) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
}

/** The edit distance: insertions, deletions, replacements and swaps of neighbours, each counting one. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      let cost = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      if (from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]) {
        cost = Math.min(cost, (beforeLast[column - 2] ?? cost) + 1);
      }
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? 0;
}
