import { defineCommand } from "../../base/command-line/command.ts";
import { formatListing, outputOption } from "../../base/program/output.ts";
import { kubeconfigOptions, openConnection } from "../../programs/connect/connect.ts";
import type { TokenRecord } from "./secrets.ts";

export const command = defineCommand({
  description:
    "List the tokens with which machines can join the cluster, without their secret part.",
  examples: [{ does: "List all tokens", command: "tandem token list" }],
  options: { ...kubeconfigOptions, ...outputOption(["table", "json", "yaml", "name"]) },
  async run({ options, env, stdout, signal }) {
    const { listTokens } = await import("./secrets.ts");
    const { client } = await openConnection(options, { component: "tandem-token", env });
    try {
      const rows = await listTokens(client, signal);
      const columns = [
        { header: "Token", value: ({ id }: TokenRecord) => id },
        { header: "Expires", value: ({ expires }: TokenRecord) => expires?.toISOString() },
        { header: "Description", value: ({ description }: TokenRecord) => description },
      ];
      const name = ({ id }: TokenRecord) => `token/${id}`;
      stdout.write(await formatListing({ rows, columns, name }, options.output));
    } finally {
      client.transport.close();
    }
  },
});
