import { defineCommand } from "../base/command-line/command.ts";
import { filePath, text } from "../base/program/option-types.ts";
import { kubeconfigOptions } from "../programs/connect/connect.ts";

export const command = defineCommand({
  description:
    "Collect what support asks for into one compressed archive: versions, logs of the units, configuration, " +
    "the state of the kernel's network, and the objects of the cluster.\n\n" +
    "Secrets are left out: values of Secrets, ConfigMaps and environment variables, private keys, tokens and " +
    "passwords, also where they are in logs. Look into it all the same before you send it: names, addresses and " +
    "labels are in it.",
  examples: [
    { does: "Collect on this machine", command: "tandem support-bundle ./support.tar.gz" },
    {
      does: "Have logs of the last week",
      command: "tandem support-bundle --since 7d ./support.tar.gz",
    },
  ],
  options: {
    ...kubeconfigOptions,
    since: { type: text("TIME"), default: "24h", env: false, help: "How far back logs go." },
  },
  args: { file: { type: filePath(), required: true, help: "The archive to write." } },
  async run({ options, args, env, stdout, stderr, signal }) {
    const { collectBundle } = await import("../programs/machine/machine.ts");
    const missing = await collectBundle({ ...options, ...args, env }, signal);
    for (const each of missing) stderr.write(`not collected: ${each}\n`);
    stdout.write(`${args.file} has what could be collected.\n`);
  },
});
