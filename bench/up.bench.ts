// How long it takes until a cluster of three nodes is there, until a pod runs on each of them, and until
// nothing is left; and what it costs in memory.

import { measureStart } from "./cluster-start.ts";
import type { Benchmark } from "./harness.ts";

export default {
  title: "a cluster of three nodes on this machine",
  groups: () => [
    {
      name: "from nothing to pods, and back",
      cases: { "tandem up": async () => () => measureStart() },
    },
  ],
} satisfies Benchmark;
