// How commands reach the API: by the kubeconfig they are given, or whatever people usually have.

import type { Access } from "../../api/client/access.ts";
import type { Client } from "../../api/client/client.ts";
import { connect } from "../../api/client/connect.ts";
import { loadAccess } from "../../api/client/kubeconfig.ts";
import { systemClock } from "../../base/host/clock.system.ts";
import { systemCommands } from "../../base/host/command.system.ts";
import { systemFiles } from "../../base/host/files.system.ts";
import { systemRandom } from "../../base/host/random.system.ts";
import type { Registry } from "../../base/program/metrics.ts";
import { filePath, text } from "../../base/program/option-types.ts";

export const kubeconfigOptions = {
  kubeconfig: {
    type: filePath(),
    env: false,
    help: "The kubeconfig to use; otherwise those of KUBECONFIG, ~/.kube/config, or the pod's own account.",
  },
  context: { type: text("NAME"), env: false, help: "The context of the kubeconfig to use." },
} as const;

export interface ConnectOptions {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
}

export interface Around {
  readonly component: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly metrics?: Registry;
}

export interface Connection {
  readonly client: Client;
  /** Where it leads, as whom, and to which namespace when none is named. */
  readonly access: Access;
}

export async function openConnection(
  { kubeconfig: file, context }: ConnectOptions,
  { component, env, metrics }: Around,
): Promise<Connection> {
  const parts = { clock: systemClock, random: systemRandom, metrics };
  const machine = { files: systemFiles, commands: systemCommands(), clock: systemClock };
  const access = await loadAccess({ ...machine, environment: env }, { file, context });
  return { client: connect(access, { component, ...parts }), access };
}

export async function connectToApi(options: ConnectOptions, around: Around): Promise<Client> {
  return (await openConnection(options, around)).client;
}
