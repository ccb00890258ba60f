// tandem-ipam: what a CNI runtime starts for every interface of every pod.
// Standard output is written synchronously, because `process.stdout` alone costs as much as the rest.

import { readFileSync, writeSync } from "node:fs";
import { openDatastore } from "./datastore/open.ts";
import { run } from "./run.ts";

const outcome = await run(
  { variables: process.env, input: readFileSync(0, "utf8") },
  {
    node: process.env.NODENAME ?? readFileSync("/proc/sys/kernel/hostname", "utf8").trim(),
    now: () => Date.now(),
    open: openDatastore,
  },
);
for (let rest = Buffer.from(outcome.output); rest.length > 0; ) {
  rest = rest.subarray(writeSync(1, rest));
}
process.exit(outcome.failed ? 1 : 0);
