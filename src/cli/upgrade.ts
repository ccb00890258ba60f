import { defineCommand } from "../base/command-line/command.ts";
import { boolean, filePath } from "../base/program/option-types.ts";
import { waitOption } from "./install/options.ts";

export const command = defineCommand({
  description:
    "Upgrade this machine to another Debian package of Tandem, and wait until it serves and is ready again.\n\n" +
    "Pods go on meanwhile. Upgrade servers first, then nodes, one after the other, by one minor version at a " +
    "time: a node is never newer than its servers, and at most one minor version older. Anything else is refused.",
  examples: [{ does: "Upgrade this machine", command: "tandem upgrade ./tandem_0.2.0_amd64.deb" }],
  options: {
    ...waitOption,
    dryRun: {
      type: boolean(),
      default: false,
      env: false,
      help: "Only check whether it may be done.",
    },
  },
  args: { file: { type: filePath(), required: true, help: "The package." } },
  async run({ options, args, stdout, stderr, env, log, signal }) {
    const { runUpgrade } = await import("../programs/machine/machine.ts");
    await runUpgrade({ ...options, ...args }, { stdout, stderr, env, log }, signal);
  },
});
