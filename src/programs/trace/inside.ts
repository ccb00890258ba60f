// A cluster on this machine has namespaces of its own, and names for them: the same command, run inside,
// finds everything.

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
  /** Of the command line. */
  readonly words: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly signal: AbortSignal;
}

/** Returns the exit code, or nothing if no such cluster runs here. */
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

/** Addresses can be traced without any cluster. */
async function meantHere({ options, env }: Request): Promise<MeantCluster | undefined> {
  try {
    return await meantCluster(options, env);
  } catch (error) {
    if (error instanceof KubeconfigError) return undefined;
    throw error;
  }
}
