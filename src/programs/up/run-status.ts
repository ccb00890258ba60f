// Wires `tandem status`.

import { isNotFound, isTimeout, isUnavailable } from "../../api/client/errors.ts";
import { connectToCluster } from "./api.ts";
import { findCluster } from "./find-cluster.ts";
import { ingressAddresses } from "./ingress-objects.ts";
import { clusterMachine } from "./machine.ts";
import { dataPlaces } from "./places.ts";
import { type ClusterObjects, type ClusterStatus, clusterStatus } from "./status.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const nothing: ClusterObjects = { nodes: [], ingress: undefined };

export async function readStatus(
  name: string,
  env: Environment,
  signal: AbortSignal,
): Promise<ClusterStatus> {
  const machine = await clusterMachine(env);
  const cluster = await findCluster(machine, name);
  const { kubeconfig } = dataPlaces(cluster.record.dataDir);
  return await clusterStatus(cluster, machine.files, async () => {
    const client = await connectToCluster(kubeconfig, { component: "tandem-status", env });
    try {
      const call = { signal, timeoutMs: 10_000 };
      const { items: nodes } = await client.resource("v1", "Node").list(call);
      const { settings } = cluster;
      const ingress = settings.ingress ? await ingressAddresses(client, settings, call) : undefined;
      return { nodes, ingress };
    } catch (error) {
      // A server that is down has its own line, and then nobody can be asked about nodes.
      if (isUnavailable(error) || isTimeout(error) || isNotFound(error)) return nothing;
      throw error;
    } finally {
      client.transport.close();
    }
  });
}
