import { repeated, text } from "../program/option-types.ts";
import { defineCommand } from "./frame/command.ts";
import { findCommand } from "./frame/find-command.ts";
import { formatHelp } from "./frame/help.ts";

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
