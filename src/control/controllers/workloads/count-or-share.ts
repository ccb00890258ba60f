/** Resolves a count, or a share of a total such as `25%`, to a count. */
export function countOf(
  value: number | string | undefined,
  total: number,
  round: (value: number) => number,
): number {
  if (typeof value !== "string") return value ?? 0;
  return round((total * Number(value.replace("%", ""))) / 100);
}
