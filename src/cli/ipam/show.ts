import { defineCommand } from "../../base/command-line/command.ts";
import { text } from "../../base/program/option-types.ts";
import { formatDocument, outputOption } from "../../base/program/output.ts";
import { describeOverview, formatOverview, overview, withStore } from "../../node/ipam/ipam.ts";
import { storeOptions } from "./options.ts";

export const command = defineCommand({
  description:
    "Show the pools of tandem-ipam: how much of each is in use, and who holds which address.",
  examples: [
    { does: "Show what this machine has reserved", command: "tandem ipam show" },
    {
      does: "Show one pool of a cluster",
      command: "tandem ipam show 10.60.0.0/16 --kubeconfig ./kubeconfig",
    },
  ],
  options: { ...storeOptions, ...outputOption(["text", "json", "yaml"]) },
  args: {
    pool: { type: text("POOL"), help: "The range or the name of a pool; all when not given." },
  },
  async run({ options, args, stdout }) {
    const shown = await withStore(options, (datastore) => overview(datastore, args.pool));
    const { output } = options;
    stdout.write(
      output === "text"
        ? formatOverview(shown)
        : await formatDocument(describeOverview(shown), output),
    );
  },
});
