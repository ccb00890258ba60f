import { defineCommand } from "./frame/command.ts";

export const command = defineCommand({
  description:
    "Bring up a whole dual-stack cluster on this machine. It comes with the node agent, which this version does not have yet.",
  examples: [{ does: "Bring up a cluster", command: "tandem up" }],
  async run() {
    throw new Error(
      "Cannot bring up a cluster: this version has no node agent yet, which runs the pods",
    );
  },
});
