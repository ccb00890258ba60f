// Slow start for many similar requests: if the first fails, the others would too.

/** The most requests at once. */
const breadth = 32;

export interface SlowStartResult {
  readonly done: number;
  /** The first failure; the items after its batch were not tried. */
  readonly failure: { readonly error: unknown } | undefined;
}

/** Acts on one item, then on two, then four, and so on, each batch after the last has succeeded. */
export async function slowStart<T>(
  items: readonly T[],
  act: (item: T) => Promise<void>,
): Promise<SlowStartResult> {
  let done = 0;
  let size = 1;
  for (let start = 0; start < items.length; start += size, size = Math.min(2 * size, breadth)) {
    const results = await Promise.allSettled(items.slice(start, start + size).map(act));
    const failed = results.find((result) => result.status === "rejected");
    done += results.filter((result) => result.status === "fulfilled").length;
    if (failed !== undefined) return { done, failure: { error: failed.reason as unknown } };
  }
  return { done, failure: undefined };
}

/** Acts on all items, even if some fail. */
export async function eachOf<T>(
  items: readonly T[],
  act: (item: T) => Promise<void>,
): Promise<SlowStartResult> {
  let done = 0;
  let failure: SlowStartResult["failure"];
  const rest = items.values();
  const work = async (): Promise<void> => {
    for (const item of rest) {
      try {
        await act(item);
        done += 1;
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(breadth, items.length) }, work));
  return { done, failure };
}
