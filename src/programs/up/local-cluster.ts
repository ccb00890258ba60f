// Clusters of `tandem up` that run on this machine.

import type { Invocation } from "../../base/command-line/command.ts";
import { UsageError } from "../../base/program/errors.ts";
import { findCluster } from "./find-cluster.ts";
import { clusterMachine } from "./machine.ts";
import { dataPlaces } from "./places.ts";

export interface LocalCluster {
  readonly name: string;
  /** The kubeconfig of the cluster's administrator. */
  readonly kubeconfig: string;
}

const usualName = "tandem";

/**
 * Returns the cluster of this name, which must run; without a name, the one of the default name, if it runs.
 */
export async function localCluster(
  name: string | undefined,
  env: Invocation["env"],
): Promise<LocalCluster | undefined> {
  const machine = await clusterMachine(env);
  try {
    const { record } = await findCluster(machine, name ?? usualName);
    return { name: record.name, kubeconfig: dataPlaces(record.dataDir).kubeconfig };
  } catch (error) {
    if (name === undefined && error instanceof UsageError) return undefined;
    throw error;
  }
}
