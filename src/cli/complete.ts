// Called by the scripts of completion.ts. Prints candidates, each with its explanation behind a tab,
// and at the end what the shell should offer besides: `:files`, `:directories` or `:nothing`.

import { defineCommand } from "../base/command-line/command.ts";
import { complete } from "../base/command-line/complete.ts";
import { repeated, text } from "../base/program/option-types.ts";

export const command = defineCommand({
  description: "Print what a shell may offer next on an unfinished command line.",
  examples: [{ does: "List the commands", command: 'tandem __complete -- ""' }],
  args: {
    words: { type: repeated(text("WORD")), help: "The words so far, the unfinished one last." },
  },
  async run({ args, program, stdout }) {
    const { candidates, shell } = await complete(program, args.words ?? []);
    const lines = candidates.map((candidate) => `${candidate.text}\t${candidate.help}`);
    stdout.write(`${[...lines, `:${shell}`].join("\n")}\n`);
  },
});
