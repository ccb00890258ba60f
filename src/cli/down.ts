import { defineCommand } from "./frame/command.ts";

export const command = defineCommand({
  description:
    "Take the cluster on this machine down. It comes with the node agent, which this version does not have yet.",
  examples: [{ does: "Take the cluster down", command: "tandem down" }],
  async run() {
    throw new Error(
      "Cannot take a cluster down: this version has no node agent yet, so it cannot have brought one up",
    );
  },
});
