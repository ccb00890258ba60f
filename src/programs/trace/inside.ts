// A cluster on this machine has namespaces of its own, and names for them: the same command, run inside,
// finds everything.

import type { Output } from "../../base/command-line/command.ts";
import { CommandError } from "../../base/host/error.ts";
import { UsageError } from "../../base/program/errors.ts";
import {
  clusterMachine,
  dataPlaces,
  enter,
  findCluster,
  innerKubeconfig,
  launcher,
  namespacePath,
} from "../up/up.ts";

interface Request {
  /** The cluster's. */
  readonly name: string;
  /** Of the command line. */
  readonly words: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly signal: AbortSignal;
}

/** Returns the exit code, or nothing if no such cluster runs here. */
export async function traceInside(request: Request): Promise<number | undefined> {
  const { name, words, env, stdout, stderr, signal } = request;
  const machine = await clusterMachine(env);
  const cluster = await findCluster(machine, name).catch((error: unknown) => {
    if (error instanceof UsageError) return undefined;
    throw error;
  });
  if (cluster === undefined) return undefined;
  const { record, topology } = cluster;
  const kubeconfig = innerKubeconfig(dataPlaces(record.dataDir));
  const inside = enter(cluster, machine, namespacePath(topology.servers[0]));
  const command = [...inside, launcher, "trace", `--kubeconfig=${kubeconfig}`, ...words];
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
