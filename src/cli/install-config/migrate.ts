import { defineCommand } from "../../base/command-line/command.ts";
import { migrateInstallConfig } from "../../install/config/config.ts";
import { installConfigArgs, installConfigOptions, readFileOrTell } from "./read-file.ts";

export const command = defineCommand({
  description:
    "Print an install-config without deprecated fields. Comments and the order of fields stay; the " +
    "file itself is not touched. One that is not valid is refused, as by validate.",
  examples: [
    {
      does: "Write the new form beside the old one",
      command: "tandem install-config migrate install-config.yaml > new.yaml",
    },
  ],
  options: installConfigOptions,
  args: installConfigArgs,
  async run({ args, options, stdout, stderr }) {
    const read = await readFileOrTell(args.file, { options, stderr });
    if (read === undefined) return 1;
    stdout.write(migrateInstallConfig(read.text));
    return 0;
  },
});
