// tandem-ipam-full: the program that tandem-ipam becomes where no daemon answers. It does the work
// itself, together with other such processes. Standard output is written synchronously, because loading
// `process.stdout` costs as much as the rest.

import { readFileSync, writeSync } from "node:fs";
import { systemRandom } from "../../base/host/random.system.ts";
import { combine } from "./combine/combine.ts";
import { sharing } from "./combine/share.ts";
import { openDatastore } from "./datastore/open.ts";
import { writeLog } from "./log.system.ts";
import { type Invocation, type Machine, run } from "./run.ts";

const alone: Machine = { now: () => Date.now(), writeLog, open: openDatastore };
const shared: Machine = { ...alone, open: sharing(openDatastore) };

void start();

async function start(): Promise<void> {
  const { output, failed } = await run(readInvocation(), { ...alone, together });
  for (let rest = Buffer.from(output); rest.length > 0; ) rest = rest.subarray(writeSync(1, rest));
  process.exit(failed ? 1 : 0);
}

function readInvocation(): Invocation {
  const { NODENAME } = process.env;
  const variables = Object.entries(process.env).filter(([name]) => name.startsWith("CNI_"));
  return {
    variables: Object.fromEntries(variables),
    input: readFileSync(0, "utf8"),
    node: NODENAME ?? readFileSync("/proc/sys/kernel/hostname", "utf8").trim(),
  };
}

async function together(invocation: Invocation) {
  const { meetAtSocket, usualSocket } = await import("./combine/sockets.system.ts");
  const meeting = meetAtSocket(usualSocket(process.env), systemRandom);
  if (meeting === undefined) return run(invocation, alone);
  return combine(invocation, meeting, (other) => run(other, shared));
}
