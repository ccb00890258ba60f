import { join } from "node:path";
import { boolean } from "../program/option-types.ts";
import { nameOption } from "./cluster-name.ts";
import { defineCommand } from "./frame/command.ts";

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
    const { clusterMachine } = await import("../cluster/machine.ts");
    const { findCluster } = await import("../cluster/find-cluster.ts");
    const { dataPlaces } = await import("../cluster/places.ts");
    const machine = await clusterMachine(env);
    const { record } = await findCluster(machine, options.name);
    const path = dataPlaces(record.dataDir).kubeconfig;
    const text = await machine.files.read(path);
    if (text === undefined) throw new Error(`Cannot print the kubeconfig: there is no ${path} yet`);
    if (!options.merge) return void stdout.write(text);
    const { mergeKubeconfigFile } = await import("../client/kubeconfig/edit.ts");
    const [first = ""] = (env["KUBECONFIG"] ?? "").split(":");
    const target = first === "" ? join(env["HOME"] ?? "", ".kube", "config") : first;
    await mergeKubeconfigFile(machine.files, target, text);
    stdout.write(`Context tandem-${options.name} is in ${target}.\n`);
  },
});
