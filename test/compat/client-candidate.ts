// A candidate of its own process: node client-candidate.ts KUBECONFIG IDENTITY PORT
//
// While it leads it listens on the port. The kernel lets only one process do that, and takes it away
// from one that is killed: two leaders at a time cannot go unnoticed.

import { once } from "node:events";
import { createServer } from "node:net";
import { LeaderElection } from "../../src/api/client/leader-election.ts";
import { createLog } from "../../src/base/program/log.ts";
import { clientOf, clock, random } from "./client.fixture.ts";

const [, , kubeconfig = "", identity = "", port = ""] = process.argv;
const say = (line: string) => process.stdout.write(`${line}\n`);
const stop = new AbortController();
process.once("SIGTERM", () => stop.abort());

using client = await clientOf(kubeconfig);
const election = new LeaderElection({
  leases: client.resource("coordination.k8s.io/v1", "Lease"),
  lease: { namespace: "kube-system", name: "compat" },
  identity,
  // Far apart: a leader that stood still for seconds has time to see that it leads no longer.
  leaseDurationMs: 7_000,
  renewDeadlineMs: 1_500,
  retryMs: 200,
  clock,
  random,
  log: createLog({ format: "text", write: say }),
  lead: async (signal) => {
    const exclusive = createServer();
    exclusive.listen(Number(port), "127.0.0.1");
    await once(exclusive, "listening");
    say("leading");
    if (!signal.aborted) await once(signal, "abort");
    exclusive.close();
    await once(exclusive, "close");
  },
});
try {
  await election.run(stop.signal);
} catch (error) {
  say(`failed: ${String(error)}`);
  process.exitCode = 1;
}
