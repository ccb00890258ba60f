import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { addressPools } from "../api/builtin-crds/address-pools.ts";
import type { Client } from "../api/client/client.ts";
import { isAlreadyExists, isNotFound } from "../api/client/errors.ts";
import { LeaderElection } from "../api/client/leader-election.ts";
import { defineCommand } from "../base/command-line/command.ts";
import { systemClock } from "../base/host/clock.system.ts";
import { systemRandom } from "../base/host/random.system.ts";
import { healthOptions, openHealthServer } from "../base/program/health-server.system.ts";
import { Registry } from "../base/program/metrics.ts";
import { registerProcessMetrics } from "../base/program/process-metrics.system.ts";
import { runAll } from "../base/program/run-all.ts";
import { runControllers } from "../control/controllers/run.ts";
import { loadBalancerControllers } from "../edge/balancer/balancer.ts";
import { connectToApi, kubeconfigOptions } from "../programs/connect/connect.ts";

export const command = defineCommand({
  description:
    "Give services of type LoadBalancer their addresses, as `tandem server` does for a cluster of its " +
    "own. AddressPools are defined in the API if it does not know them. Of several that run, one acts.",
  examples: [{ does: "Serve the cluster of a kubeconfig", command: "tandem balancer assign" }],
  options: { ...kubeconfigOptions, ...healthOptions(10267) },
  async run({ options, env, log, signal }) {
    const metrics = new Registry();
    registerProcessMetrics(metrics);
    const client = await connectToApi(options, { component: "tandem-balancer", env, metrics });
    const parts = { client, clock: systemClock, random: systemRandom, log, metrics };
    const election = new LeaderElection({
      ...parts,
      leases: client.resource("coordination.k8s.io/v1", "Lease"),
      lease: { namespace: "kube-system", name: "tandem-balancer" },
      identity: `${hostname()}_${randomUUID()}`,
      lead: (until) => runControllers(loadBalancerControllers, parts, until),
    });
    try {
      await definePools(client);
      const health = await openHealthServer({ listen: options.healthAddress, metrics });
      await runAll([election, health], signal);
    } finally {
      client.transport.close();
    }
  },
});

async function definePools(client: Client): Promise<void> {
  const definitions = client.resource("apiextensions.k8s.io/v1", "CustomResourceDefinition");
  const { status: _, ...definition } = addressPools;
  // Where somebody has defined them, the right to read that is enough.
  try {
    await definitions.get({ name: definition.metadata.name });
    return;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  try {
    await definitions.create(definition);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
