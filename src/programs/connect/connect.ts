// Connects commands to the API: by the kubeconfig they are given, by KUBECONFIG, by the cluster on this
// machine (of `tandem up`, or of `tandem install`), or by the user's default kubeconfig.

import type { Access } from "../../api/client/access.ts";
import type { Client } from "../../api/client/client.ts";
import { connect } from "../../api/client/connect.ts";
import { isInCluster, loadAccess } from "../../api/client/kubeconfig.ts";
import { systemClock } from "../../base/host/clock.system.ts";
import { systemCommands } from "../../base/host/command.system.ts";
import { systemFiles } from "../../base/host/files.system.ts";
import { systemRandom } from "../../base/host/random.system.ts";
import { systemCode } from "../../base/program/errors.ts";
import type { Registry } from "../../base/program/metrics.ts";
import { filePath, text } from "../../base/program/option-types.ts";
import { machinePlaces } from "../../install/machine/places.ts";

export const kubeconfigOptions = {
  kubeconfig: {
    type: filePath(),
    env: false,
    help: "The kubeconfig to use; otherwise those of KUBECONFIG, that of the cluster of 'tandem up' or 'tandem install' on this machine, ~/.kube/config, or the pod's own account.",
  },
  context: { type: text("NAME"), env: false, help: "The context of the kubeconfig to use." },
  name: {
    type: text("NAME"),
    env: "TANDEM_CLUSTER",
    help: "The name of the cluster on this machine, where there are several; tandem when not given.",
  },
} as const;

export interface ConnectOptions {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  /** The name of a cluster on this machine, used if no kubeconfig or context is given. */
  readonly name?: string | undefined;
}

export interface Around {
  readonly component: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly metrics?: Registry;
}

export interface Connection {
  readonly client: Client;
  /** The server, the user and the default namespace of the connection. */
  readonly access: Access;
}

export async function openConnection(
  options: ConnectOptions,
  { component, env, metrics }: Around,
): Promise<Connection> {
  const parts = { clock: systemClock, random: systemRandom, metrics };
  const access = await findAccess(options, env);
  return { client: connect(access, { component, ...parts }), access };
}

export async function findAccess(options: ConnectOptions, env: Around["env"]): Promise<Access> {
  const { kubeconfig, context } = options;
  const parts = { files: systemFiles, commands: systemCommands(), clock: systemClock };
  const machine = { ...parts, environment: env };
  // A program in a pod means the pod's own cluster, even if it sees a cluster of `tandem up` on the machine.
  const isLocal = kubeconfig === undefined && !isInCluster(machine);
  const file = isLocal ? await localKubeconfig(options, env) : kubeconfig;
  return await loadAccess(machine, { file, context });
}

/**
 * Returns the kubeconfig of the cluster on this machine, unless the options or the environment name another.
 */
async function localKubeconfig(
  { context, name }: ConnectOptions,
  env: Around["env"],
): Promise<string | undefined> {
  if (context !== undefined || (env["KUBECONFIG"] ?? "") !== "") return undefined;
  const { localCluster } = await import("../up/up.ts");
  const local = (await localCluster(name, env))?.kubeconfig;
  if (local !== undefined || name !== undefined) return local;
  return await installedKubeconfig();
}

/** Returns the administrator's kubeconfig on a machine that is a server, for those who may read it. */
async function installedKubeconfig(): Promise<string | undefined> {
  const { kubeconfig } = machinePlaces;
  try {
    return (await systemFiles.read(kubeconfig)) === undefined ? undefined : kubeconfig;
  } catch (error) {
    if (["EACCES", "ENOTDIR"].includes(systemCode(error) ?? "")) return undefined;
    throw error;
  }
}

export async function connectToApi(options: ConnectOptions, around: Around): Promise<Client> {
  return (await openConnection(options, around)).client;
}
