import type { Access } from "../../api/client/access.ts";
import { KubeconfigError } from "../../api/client/kubeconfig.ts";
import type { Invocation } from "../../base/command-line/command.ts";
import { UsageError } from "../../base/program/errors.ts";
import { type ConnectOptions, findAccess } from "../connect/connect.ts";
import { clusterMachine, localCluster } from "../up/up.ts";

export interface MeantCluster {
  readonly name: string;
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
    // Every cluster has an authority of its own.
    if (cluster === undefined || cluster.authorities !== access.authorities) continue;
    return { name, namespace: access.namespace };
  }
  return undefined;
}

/** Others come and go, and those that come have no kubeconfig yet. */
async function running(name: string, env: Invocation["env"]): Promise<Access | undefined> {
  try {
    const cluster = await localCluster(name, env);
    return cluster && (await findAccess({ kubeconfig: cluster.kubeconfig }, env));
  } catch (error) {
    if (error instanceof UsageError || error instanceof KubeconfigError) return undefined;
    throw error;
  }
}
