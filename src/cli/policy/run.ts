import { hostname } from "node:os";
import { defineCommand } from "../../base/command-line/command.ts";
import { systemClock } from "../../base/host/clock.system.ts";
import { systemCommands } from "../../base/host/command.system.ts";
import { systemRandom } from "../../base/host/random.system.ts";
import { families } from "../../base/net/family.ts";
import { healthOptions } from "../../base/program/health-server.system.ts";
import { Registry } from "../../base/program/metrics.ts";
import { boolean, listOf, oneOf, text } from "../../base/program/option-types.ts";
import { registerProcessMetrics } from "../../base/program/process-metrics.system.ts";
import { openPolicies } from "../../node/policy/policy.ts";
import { connectToApi, kubeconfigOptions } from "../../programs/connect/connect.ts";

export const command = defineCommand({
  description: `Keep the network policies of this node's pods, in both families, as the API server says of NetworkPolicies and ClusterNetworkPolicies. It works with any Kubernetes API server, and with any network that routes packets by the addresses of pods.

Rules stay in force when it ends; "tandem policy cleanup" takes them away. Nodes that run "tandem agent" have it built in.`,
  examples: [
    { does: "Keep the policies of this node", command: "tandem policy run" },
    {
      does: "Let nobody in the node's pod CIDR get anywhere before it is a pod that is known",
      command: "tandem policy run --hold-unknown",
    },
  ],
  options: {
    ...kubeconfigOptions,
    node: { type: text("NAME"), help: "The name of this node; the host's name when not given." },
    families: {
      type: listOf(oneOf(families)),
      default: families.join(","),
      help: "The families to keep policies of.",
    },
    holdUnknown: {
      type: boolean(),
      default: false,
      help: "Drop what comes from or goes to addresses in the node's pod CIDRs that are no pod's yet.",
    },
    podLinks: {
      type: listOf(text("LINK")),
      default: "",
      help: "Links that lead to pods, such as cbr0 or veth*: router advertisements from there are dropped.",
    },
    ...healthOptions(10_247),
  },
  async run({ options, env, log, signal }) {
    const metrics = new Registry();
    registerProcessMetrics(metrics);
    const client = await connectToApi(options, { component: "tandem-policy", env, metrics });
    const machine = { commands: systemCommands(), clock: systemClock, random: systemRandom };
    const settings = {
      ...options,
      node: options.node ?? hostname(),
      holdsUnknown: options.holdUnknown,
      mayBridge: true,
    };
    try {
      await openPolicies(settings, { ...machine, client, log, metrics }).run(signal);
    } finally {
      client.transport.close();
    }
  },
});
