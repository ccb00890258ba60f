import { defineCommand } from "../base/command-line/command.ts";
import { formatReference } from "../base/command-line/reference.ts";

export const command = defineCommand({
  description: "Print the reference of all commands and their options as Markdown.",
  examples: [{ does: "Write the reference", command: "tandem docs > reference.md" }],
  async run({ program, stdout }) {
    stdout.write(await formatReference(program));
  },
});
