import type { Invocation } from "../../base/command-line/command.ts";
import { UsageError } from "../../base/program/errors.ts";
import { type ConnectOptions, findAccess } from "../../programs/connect/connect.ts";
import { clusterMachine } from "../../programs/up/up.ts";
import { type LocalCluster, localCluster } from "../local-cluster.ts";

export interface MeantCluster extends LocalCluster {
  /** For what names none. */
  readonly namespace: string;
}

/** The cluster on this machine that a command means, however it is pointed at it. */
export async function meantCluster(
  options: ConnectOptions,
  env: Invocation["env"],
): Promise<MeantCluster | undefined> {
  const { records } = await clusterMachine(env);
  const names = await records.names();
  if (names.length === 0) return undefined;
  const access = await findAccess(options, env);
  for (const name of names) {
    const cluster = await running(name, env);
    if (cluster === undefined) continue;
    const own = await findAccess({ kubeconfig: cluster.kubeconfig }, env);
    // Every cluster has an authority of its own.
    if (own.authorities === access.authorities) return { ...cluster, namespace: access.namespace };
  }
  return undefined;
}

async function running(name: string, env: Invocation["env"]): Promise<LocalCluster | undefined> {
  try {
    return await localCluster(name, env);
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}
