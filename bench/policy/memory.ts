// What the objects of a benchmark hold of the heap, once garbage is collected.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Returns the MiB that what is made holds. */
export function weightOf(make: () => unknown): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const used = (): number => {
    collect();
    return process.memoryUsage().heapUsed / 2 ** 20;
  };
  const before = used();
  const made = [make()];
  const after = used();
  made.pop();
  return after - before;
}
