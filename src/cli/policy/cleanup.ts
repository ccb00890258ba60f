import { defineCommand } from "../../base/command-line/command.ts";
import { systemCommands } from "../../base/host/command.system.ts";
import { systemNft } from "../../base/host/nft.system.ts";
import { cleanUp } from "../../node/policy/policy.ts";

export const command = defineCommand({
  description:
    "Take all rules of network policies away from this machine: nothing is denied any more. An agent " +
    "or policy program that still runs puts them back.",
  examples: [{ does: "Leave nothing behind", command: "tandem policy cleanup" }],
  async run({ signal }) {
    await cleanUp(systemNft(systemCommands()), { signal });
  },
});
