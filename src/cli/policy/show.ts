import { defineCommand } from "../../base/command-line/command.ts";
import { text } from "../../base/program/option-types.ts";
import { formatListing, outputOption } from "../../base/program/output.ts";
import type { Column } from "../../base/program/table.ts";
import { loadState, type ShownRule, showPod } from "../../node/policy/policy.ts";
import { connectToApi, kubeconfigOptions } from "../../programs/connect/connect.ts";

export const command = defineCommand({
  description:
    "Show what may come to a pod and go from it: every rule of every policy that selects it, in the " +
    "order in which they are asked, and what becomes of the rest.",
  examples: [
    { does: "Show a pod", command: "tandem policy show web-0" },
    { does: "Show one of another namespace", command: "tandem policy show shop/db-0" },
    { does: "Show it to another program", command: "tandem policy show db-0 -n shop -o json" },
  ],
  options: {
    ...kubeconfigOptions,
    namespace: {
      type: text("NAMESPACE"),
      short: "n",
      default: "default",
      env: false,
      help: "The namespace of the pod, where its name says none.",
    },
    ...outputOption(["table", "json", "yaml"]),
  },
  args: { pod: { type: text("POD"), required: true, help: "NAME or NAMESPACE/NAME." } },
  async run({ options, args, env, stdout, stderr, signal }) {
    const key = args.pod.includes("/") ? args.pod : `${options.namespace}/${args.pod}`;
    const client = await connectToApi(options, { component: "tandem-policy", env });
    try {
      const state = await loadState(client, { signal });
      const pod = state.pod(key);
      if (pod === undefined) {
        stderr.write(
          `Cannot show the policies of ${key}: there is no such pod with a network of its own\n`,
        );
        return 1;
      }
      const rows = showPod(state, pod);
      const listing = { rows, columns, name: () => key, document: { pod: key, rules: rows } };
      stdout.write(await formatListing(listing, options.output));
      return 0;
    } finally {
      client.transport.close();
    }
  },
});

const columns: readonly Column<ShownRule>[] = [
  { header: "direction", value: ({ direction }) => direction },
  { header: "network", value: ({ network }) => network },
  { header: "tier", value: ({ tier }) => tier },
  { header: "policy", value: ({ policy }) => policy },
  { header: "rule", value: ({ rule }) => rule },
  { header: "action", value: ({ action }) => action },
  { header: "peers", value: ({ peers }) => peers },
  { header: "ports", value: ({ ports }) => ports },
];
