import { defineCommand } from "../base/command-line/command.ts";
import { findCommand } from "../base/command-line/find-command.ts";
import { formatHelp } from "../base/command-line/help.ts";
import { repeated, text } from "../base/program/option-types.ts";

export const command = defineCommand({
  description: "Print help about a command, or the list of commands.",
  examples: [
    { does: "List all commands", command: "tandem help" },
    { does: "Explain one of them", command: "tandem help version" },
  ],
  args: { path: { type: repeated(text("COMMAND")), help: "The command to explain." } },
  async run({ args, program, stdout }) {
    const { path } = findCommand(program, args.path ?? []);
    stdout.write(await formatHelp(program, path, stdout.columns));
  },
});
