import { defineCommand } from "../base/command-line/command.ts";
import { listenList } from "../base/program/network-option-types.ts";
import { text } from "../base/program/option-types.ts";
import { kubeconfigOptions } from "../programs/connect/connect.ts";

export const command = defineCommand({
  description:
    "Show a cluster in a browser: nodes, services and pods with IPv4 and IPv6 side by side, the way " +
    "from outside to the pods, and what every address is.\n\n" +
    "Works on any Kubernetes cluster, reads only, and shows what you may read and nothing else. " +
    "It listens on loopback and prints a link that works once.",
  examples: [
    {
      does: "Show the cluster on this machine, or that of KUBECONFIG",
      command: "tandem dashboard",
    },
    {
      does: "Show one namespace, on a port of your choice",
      command: "tandem dashboard --namespace shop --listen localhost:8888",
    },
  ],
  options: {
    ...kubeconfigOptions,
    namespace: {
      type: text("NAME"),
      short: "n",
      env: false,
      help: "The only namespace to show, for users who may not read all of them.",
    },
    listen: {
      type: listenList(),
      default: "localhost:0",
      help: "The loopback address to serve on; port 0 is a free one.",
    },
  },
  async run({ options, env, stdout, log, signal }) {
    const { runDashboard } = await import("../programs/dashboard/dashboard.ts");
    await runDashboard(options, { env, stdout, log, signal });
  },
});
