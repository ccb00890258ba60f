import { defineCommand } from "../../base/command-line/command.ts";
import { systemCommands } from "../../base/host/command.system.ts";
import { cleanUp } from "../../node/proxy/proxy.ts";

export const command = defineCommand({
  description:
    "Take all rules of services away from this machine, whatever mode they were written in. A proxy " +
    "that still runs puts them back.",
  examples: [{ does: "Leave nothing behind", command: "tandem proxy cleanup" }],
  async run({ log, signal }) {
    await cleanUp({ commands: systemCommands(), log }, { signal });
  },
});
