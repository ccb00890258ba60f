import type { Client } from "../../client/client.ts";
import { connect } from "../../client/connect.ts";
import { loadAccess } from "../../client/kubeconfig/load.ts";
import { systemClock } from "../../host/clock.system.ts";
import { systemCommands } from "../../host/command.system.ts";
import { systemFiles } from "../../host/files.system.ts";
import { systemRandom } from "../../host/random.system.ts";
import type { Registry } from "../../program/metrics.ts";
import { filePath, text } from "../../program/option-types.ts";

export const kubeconfigOptions = {
  kubeconfig: {
    type: filePath(),
    env: false,
    help: "The kubeconfig to use; otherwise those of KUBECONFIG, ~/.kube/config, or the pod's own account.",
  },
  context: { type: text("NAME"), env: false, help: "The context of the kubeconfig to use." },
} as const;

export const apiOptions = {
  ...kubeconfigOptions,
  clusterName: {
    type: text("NAME"),
    help: "The name router ids come from; that of the Infrastructure object when not given.",
  },
  ingressSelector: {
    type: text("LABELS"),
    default: "app.kubernetes.io/component=ingress",
    help: "The labels of pods that are ingress; nodes labelled tandem.internal/ingress count, too.",
  },
} as const;

export async function connectToApi(
  options: { readonly kubeconfig?: string | undefined; readonly context?: string | undefined },
  around: {
    readonly component: string;
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly metrics?: Registry;
  },
): Promise<Client> {
  const commands = systemCommands();
  const machine = { files: systemFiles, commands, clock: systemClock, environment: around.env };
  const access = await loadAccess(machine, { file: options.kubeconfig, context: options.context });
  const { component, metrics } = around;
  return connect(access, { component, clock: systemClock, random: systemRandom, metrics });
}
