import type { Access } from "../../client/access.ts";
import type { Client } from "../../client/client.ts";
import { connect } from "../../client/connect.ts";
import { loadAccess } from "../../client/kubeconfig/load.ts";
import { systemClock } from "../../host/clock.system.ts";
import { systemCommands } from "../../host/command.system.ts";
import { systemFiles } from "../../host/files.system.ts";
import { systemRandom } from "../../host/random.system.ts";

export async function connectAs(
  component: string,
  options: { readonly kubeconfig: string | undefined; readonly context: string | undefined },
  environment: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly client: Client; readonly access: Access }> {
  const clock = systemClock;
  const machine = { files: systemFiles, commands: systemCommands(), clock, environment };
  const { kubeconfig: file, context } = options;
  const access = await loadAccess(machine, { file, context });
  return { client: connect(access, { component, clock, random: systemRandom }), access };
}
