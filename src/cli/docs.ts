import { defineCommand } from "./frame/command.ts";
import { formatReference } from "./frame/reference.ts";

export const command = defineCommand({
  description: "Print the reference of all commands and their options as Markdown.",
  examples: [{ does: "Write the reference", command: "tandem docs > reference.md" }],
  async run({ program, stdout }) {
    stdout.write(await formatReference(program));
  },
});
