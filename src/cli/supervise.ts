import { defineCommand } from "../base/command-line/command.ts";

export const command = defineCommand({
  description: "Run a cluster inside of the namespaces that 'tandem up' has made for it.",
  examples: [
    { does: "Run the cluster that the standard input names", command: "tandem __supervise" },
  ],
  async run({ signal, log, env }) {
    const { runSupervisor } = await import("../programs/up/up.ts");
    await runSupervisor({ log, env }, signal);
  },
});
