import { defineCommand } from "../base/command-line/command.ts";
import { oneOf } from "../base/program/option-types.ts";
import { completionScripts } from "./completion-scripts.ts";

export const command = defineCommand({
  description: `Print the script that makes a shell complete commands, flags and values of tandem.

To load it in every new shell:

  bash:  tandem completion bash > ~/.local/share/bash-completion/completions/tandem
  zsh:   tandem completion zsh > "\${fpath[1]}/_tandem"
  fish:  tandem completion fish > ~/.config/fish/completions/tandem.fish`,
  examples: [
    { does: "Load it into this bash", command: "source <(tandem completion bash)" },
    { does: "Load it into this zsh", command: "source <(tandem completion zsh)" },
    { does: "Load it into this fish", command: "tandem completion fish | source" },
  ],
  args: {
    shell: {
      type: oneOf(["bash", "zsh", "fish"], "SHELL"),
      required: true,
      help: "The shell: bash, zsh or fish.",
    },
  },
  async run({ args, program, stdout }) {
    stdout.write(completionScripts[args.shell](program.name));
  },
});
