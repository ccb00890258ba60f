// The API of a cluster on this machine, by the kubeconfig of its administrator.

import type { Client } from "../../api/client/client.ts";
import { connect } from "../../api/client/connect.ts";
import { loadAccess } from "../../api/client/kubeconfig.ts";
import { systemClock } from "../../base/host/clock.system.ts";
import { systemCommands } from "../../base/host/command.system.ts";
import { systemFiles } from "../../base/host/files.system.ts";
import { systemRandom } from "../../base/host/random.system.ts";

export interface ApiOptions {
  readonly component: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export async function connectToCluster(
  kubeconfig: string,
  { component, env: environment }: ApiOptions,
): Promise<Client> {
  const machine = { files: systemFiles, commands: systemCommands(), clock: systemClock };
  const access = await loadAccess({ ...machine, environment }, { file: kubeconfig });
  return connect(access, { component, clock: systemClock, random: systemRandom });
}
