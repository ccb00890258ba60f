import type { Access } from "../../api/client/access.ts";
import { KubeconfigError } from "../../api/client/kubeconfig.ts";
import type { Invocation } from "../../base/command-line/command.ts";
import { UsageError } from "../../base/program/errors.ts";
import { type ConnectOptions, findAccess } from "../connect/connect.ts";
import { clusterMachine, localCluster } from "../up/up.ts";

export interface MeantCluster {
  readonly name: string;
  /** The namespace of objects that are named without one. */
  readonly namespace: string;
}

/** Finds the cluster on this machine that a command means, however it names it. */
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
    // The authority identifies the cluster, since each has one of its own.
    if (cluster === undefined || cluster.authorities !== access.authorities) continue;
    return { name, namespace: access.namespace };
  }
  return undefined;
}

/**
 * Returns the access to a running cluster, or `undefined`: clusters come and go, and new ones have no
 * kubeconfig yet.
 */
async function running(name: string, env: Invocation["env"]): Promise<Access | undefined> {
  try {
    const cluster = await localCluster(name, env);
    return cluster && (await findAccess({ kubeconfig: cluster.kubeconfig }, env));
  } catch (error) {
    if (error instanceof UsageError || error instanceof KubeconfigError) return undefined;
    throw error;
  }
}
