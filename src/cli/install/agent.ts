import { defineCommand } from "../../base/command-line/command.ts";
import { nodeOptions } from "./options.ts";

export const command = defineCommand({
  description:
    "Make this machine a node of a cluster whose server is elsewhere, by the units of the package.\n\n" +
    "The machine joins first; what it is given then is kept, and no token is written down. Everything else it " +
    "learns from the cluster. Run again it changes nothing.",
  examples: [
    {
      does: "Join a cluster",
      command:
        "tandem install agent --join https://192.0.2.10:6443 --token abcdef.0123456789abcdef --ca-hash sha256:…",
    },
  ],
  options: nodeOptions,
  async run({ options, stdout, stderr, env, log, signal }) {
    const { installAgent } = await import("../../programs/machine/machine.ts");
    await installAgent(options, { stdout, stderr, env, log }, signal);
  },
});
