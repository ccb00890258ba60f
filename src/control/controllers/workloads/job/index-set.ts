// Parses indexes of an indexed job as its status writes them: `0-2,5`.

export function parseIndexes(text: string | undefined): Set<number> {
  const indexes = new Set<number>();
  for (const part of (text ?? "").split(",")) {
    const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? [];
    if (first === undefined) continue;
    for (let index = Number(first); index <= Number(last); index++) indexes.add(index);
  }
  return indexes;
}

export function formatIndexes(indexes: Iterable<number>): string {
  const sorted = [...indexes].toSorted((a, b) => a - b);
  const parts: string[] = [];
  for (let start = 0; start < sorted.length; ) {
    let end = start;
    while (sorted[end + 1] === (sorted[end] ?? 0) + 1) end += 1;
    // Two adjacent indexes are written with a comma, since a range would be no shorter.
    const separator = end === start ? "" : end === start + 1 ? "," : "-";
    parts.push(`${sorted[start]}${separator}${end === start ? "" : sorted[end]}`);
    start = end + 1;
  }
  return parts.join(",");
}
