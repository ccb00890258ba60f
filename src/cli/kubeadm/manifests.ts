import { defineCommand } from "../../base/command-line/command.ts";
import { UsageError } from "../../base/program/errors.ts";
import { filePath } from "../../base/program/option-types.ts";

export const command = defineCommand({
  description:
    "Print the static pods of a control plane with the flags that a dual-stack configuration of " +
    "kubeadm leads to: lists of both families for services and pods.",
  examples: [{ does: "Print the manifests", command: "tandem kubeadm manifests ./kubeadm.yaml" }],
  args: {
    file: { type: filePath(), required: true, help: "A configuration of kubeadm." },
  },
  async run({ args, stdout }) {
    const { readFile } = await import("node:fs/promises");
    const { parseAllDocuments, stringify } = await import("yaml");
    const { readKubeadm } = await import("../../install/kubeadm/kubeadm.ts");
    const { kubeadmManifests } = await import("../../install/kubeadm/kubeadm.ts");
    const documents = parseAllDocuments(await readFile(args.file, "utf8"));
    const configuration = readKubeadm(documents.map((each) => each.toJS() as unknown));
    if (configuration === undefined) {
      throw new UsageError(`Cannot use ${args.file}: it holds no configuration of kubeadm`);
    }
    const manifests = kubeadmManifests(configuration);
    stdout.write(manifests.map(({ object }) => stringify(object)).join("---\n"));
  },
});
