import { defineCommand } from "../../base/command-line/command.ts";
import { text } from "../../base/program/option-types.ts";
import { kubeconfigOptions, openConnection } from "../../programs/connect/connect.ts";

export const command = defineCommand({
  description: "Delete a token: no machine can join with it any more. Nodes that did stay.",
  examples: [{ does: "Delete a token by its id", command: "tandem token delete abcdef" }],
  options: kubeconfigOptions,
  args: {
    token: { type: text("TOKEN"), required: true, help: "A token, or its part before the dot." },
  },
  async run({ options, args, env, stdout, signal }) {
    const { deleteToken } = await import("./secrets.ts");
    const { client } = await openConnection(options, { component: "tandem-token", env });
    try {
      await deleteToken(client, args.token, signal);
      stdout.write(`token/${args.token.split(".")[0]} deleted\n`);
    } finally {
      client.transport.close();
    }
  },
});
