import { defineCommand } from "../../base/command-line/command.ts";
import { installConfigArgs, installConfigOptions, readFileOrTell } from "./read-file.ts";

export const command = defineCommand({
  description:
    "Check an install-config: its virtual addresses, its networks and the order of their families.\n\n" +
    "Everything that is wrong is printed, one line each, with the field and its value. The exit code " +
    "is 1 then. Deprecated fields are accepted, with a warning.",
  examples: [
    { does: "Check a file", command: "tandem install-config validate install-config.yaml" },
    {
      does: "Check it, with VIPs from the DNS where it has none",
      command: "tandem install-config validate install-config.yaml --look-up-vips",
    },
  ],
  options: installConfigOptions,
  args: installConfigArgs,
  async run({ args, options, stdout, stderr }) {
    const read = await readFileOrTell(args.file, { options, stderr });
    if (read === undefined) return 1;
    stdout.write(`${args.file} is valid\n`);
    return 0;
  },
});
