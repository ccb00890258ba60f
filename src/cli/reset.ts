import { defineCommand } from "../base/command-line/command.ts";
import { boolean } from "../base/program/option-types.ts";
import { outputOption } from "../base/program/output.ts";

export const command = defineCommand({
  description:
    "Take this machine's role in a cluster away, and leave it as it was before 'tandem install'.\n\n" +
    "Units are stopped, pods are ended, and files, rules, links, mounts, cgroups and settings of the kernel go. " +
    "On a server with an embedded store that is the cluster itself: 'tandem backup' keeps it. It lists what it " +
    "removes, and asks. The package stays, and so does the Node object: 'kubectl delete node NAME'.",
  examples: [
    { does: "See what would be removed", command: "tandem reset --dry-run" },
    { does: "Reset without being asked", command: "tandem reset --yes" },
  ],
  options: {
    yes: { type: boolean(), default: false, env: false, help: "Do not ask." },
    dryRun: {
      type: boolean(),
      default: false,
      env: false,
      help: "Only list what would be removed.",
    },
    ...outputOption(["text", "json", "yaml"]),
  },
  async run({ options, stdout, log, signal }) {
    const { runReset } = await import("../programs/machine/machine.ts");
    await runReset(options, { stdout, log }, signal);
  },
});
