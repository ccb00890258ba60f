// Traces inside of a cluster of `tandem up`: its network namespaces are named only in there, so the same
// command is run inside.

import { KubeconfigError } from "../../api/client/kubeconfig.ts";
import type { Output } from "../../base/command-line/command.ts";
import { CommandError } from "../../base/host/error.ts";
import type { ConnectOptions } from "../connect/connect.ts";
import {
  clusterMachine,
  dataPlaces,
  enter,
  findCluster,
  innerKubeconfig,
  launcher,
  namespacePath,
} from "../up/up.ts";
import { type MeantCluster, meantCluster } from "./meant-cluster.ts";

interface Request {
  readonly options: ConnectOptions & { readonly namespace?: string | undefined };
  /** The words of the command line. */
  readonly words: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly signal: AbortSignal;
}

/** Returns the exit code, or `undefined` if no such cluster runs on this machine. */
export async function traceInside(request: Request): Promise<number | undefined> {
  const { options, words, env, stdout, stderr, signal } = request;
  const meant = await meantHere(request);
  if (meant === undefined) return undefined;
  const machine = await clusterMachine(env);
  const cluster = await findCluster(machine, meant.name);
  const { record, topology } = cluster;
  const kubeconfig = innerKubeconfig(dataPlaces(record.dataDir));
  const inside = enter(cluster, machine, namespacePath(topology.servers[0]));
  const which = [
    `--kubeconfig=${kubeconfig}`,
    `--namespace=${options.namespace ?? meant.namespace}`,
  ];
  const command = [...inside, launcher, "trace", "--here", ...which, ...words];
  try {
    stdout.write((await machine.commands.run(command, { signal })).stdout);
    return 0;
  } catch (error) {
    if (!(error instanceof CommandError) || error.exitCode === undefined) throw error;
    stdout.write(error.stdout);
    stderr.write(error.stderr);
    return error.exitCode;
  }
}

/**
 * Returns the cluster that the command means, or `undefined`: addresses can be traced without any cluster.
 */
async function meantHere({ options, env }: Request): Promise<MeantCluster | undefined> {
  try {
    return await meantCluster(options, env);
  } catch (error) {
    if (error instanceof KubeconfigError) return undefined;
    throw error;
  }
}
