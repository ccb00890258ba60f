import { join } from "node:path";
import { defineCommand } from "../base/command-line/command.ts";
import { boolean } from "../base/program/option-types.ts";
import { nameOption } from "./cluster-name.ts";

export const command = defineCommand({
  description: "Print the kubeconfig of the administrator of the cluster on this machine.",
  examples: [
    { does: "Print it", command: "tandem kubeconfig" },
    { does: "Let kubectl use it from now on", command: "tandem kubeconfig --merge" },
  ],
  options: {
    ...nameOption,
    merge: {
      type: boolean(),
      default: false,
      env: false,
      help: "Put it into KUBECONFIG's first file, or ~/.kube/config, in place of printing it.",
    },
  },
  async run({ options, env, stdout }) {
    const { clusterMachine } = await import("../programs/up/up.ts");
    const { findCluster } = await import("../programs/up/up.ts");
    const { dataPlaces } = await import("../programs/up/up.ts");
    const machine = await clusterMachine(env);
    const { record } = await findCluster(machine, options.name);
    const path = dataPlaces(record.dataDir).kubeconfig;
    const text = await machine.files.read(path);
    if (text === undefined) throw new Error(`Cannot print the kubeconfig: there is no ${path} yet`);
    if (!options.merge) return void stdout.write(text);
    const { mergeKubeconfigFile } = await import("../api/client/kubeconfig.ts");
    const [first = ""] = (env["KUBECONFIG"] ?? "").split(":");
    const target = first === "" ? join(env["HOME"] ?? "", ".kube", "config") : first;
    await mergeKubeconfigFile(machine.files, target, text);
    stdout.write(`Context tandem-${options.name} is in ${target}.\n`);
  },
});
