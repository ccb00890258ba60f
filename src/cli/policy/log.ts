import { defineCommand } from "../../base/command-line/command.ts";
import { systemClock } from "../../base/host/clock.system.ts";
import { systemCommands } from "../../base/host/command.system.ts";
import { systemRandom } from "../../base/host/random.system.ts";
import { outputOption } from "../../base/program/output.ts";
import { denialText, followDenials } from "../../node/policy/policy.ts";
import { connectToApi, kubeconfigOptions } from "../../programs/connect/connect.ts";

export const command = defineCommand({
  description: `Tell of every denial on this node as it happens: who wanted to reach whom, on which port, and which policy and rule denied it, or which policies isolate the pod without a rule that lets it pass. What a namespace in audit mode would have denied is told as well.

At most a hundred a second are told; "tandem_policy_denied_packets_total" counts all of them.`,
  examples: [
    { does: "Watch a node of tandem up", command: "tandem shell worker1 -- tandem policy log" },
    { does: "Watch as one JSON document a line", command: "tandem policy log -o json" },
  ],
  options: { ...kubeconfigOptions, ...outputOption(["table", "json"]) },
  async run({ options, env, stdout, log, signal }) {
    const client = await connectToApi(options, { component: "tandem-policy", env });
    const machine = { commands: systemCommands(), clock: systemClock, random: systemRandom };
    try {
      await followDenials(
        { ...machine, client, log },
        (denial) => {
          const line = options.output === "json" ? JSON.stringify(denial) : denialText(denial);
          stdout.write(`${line}\n`);
        },
        signal,
      );
    } finally {
      client.transport.close();
    }
  },
});
