import { randomBytes } from "node:crypto";
import type { Random } from "./random.ts";

export const systemRandom: Random = {
  fraction: () => Math.random(),
  bytes: (count) => randomBytes(count),
};
