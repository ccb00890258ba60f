import { systemCommands } from "../../host/command.system.ts";
import { cleanUp } from "../../proxy/clean-up.ts";
import { defineCommand } from "../frame/command.ts";

export const command = defineCommand({
  description:
    "Take all rules of services away from this machine, whatever mode they were written in. A proxy " +
    "that still runs puts them back.",
  examples: [{ does: "Leave nothing behind", command: "tandem proxy cleanup" }],
  async run({ log, signal }) {
    await cleanUp({ commands: systemCommands(), log }, { signal });
  },
});
