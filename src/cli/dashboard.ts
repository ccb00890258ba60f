import { defineCommand } from "../base/command-line/command.ts";
import { listenList } from "../base/program/network-option-types.ts";
import { boolean, oneOf, text } from "../base/program/option-types.ts";
import { kubeconfigOptions } from "../programs/connect/connect.ts";

export const command = defineCommand({
  description:
    "Show a cluster in a browser: nodes, services and pods with IPv4 and IPv6 side by side, the way " +
    "from outside to the pods, and what every address is.\n\n" +
    "Works on any Kubernetes cluster, and shows what you may read and nothing else. It reads only, " +
    "unless --allow-check or --allow-trace let its pages start those. " +
    "It listens on loopback and prints a link that works once, or takes bearer tokens of the cluster.",
  examples: [
    {
      does: "Show the cluster on this machine, or that of KUBECONFIG",
      command: "tandem dashboard",
    },
    {
      does: "Show one namespace, on a port of your choice",
      command: "tandem dashboard --namespace shop --listen localhost:8888",
    },
    {
      does: "Let its pages run the connectivity check and trace packets",
      command: "tandem dashboard --allow-check --allow-trace",
    },
    {
      does: "Serve everybody who has a token of the cluster, with that token's rights",
      command: "tandem dashboard --log-in token --listen localhost:8888",
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
    logIn: {
      type: oneOf(["link", "token"] as const),
      default: "link",
      help: "How people get in: by the printed link, as you; or by a bearer token of the cluster, as whoever it is of.",
    },
    allowCheck: {
      type: boolean(),
      default: false,
      help: "Let pages run the connectivity check, which makes pods in a namespace of its own.",
    },
    allowTrace: {
      type: boolean(),
      default: false,
      help: "Let pages trace packets, which sends some and puts rules into this machine's kernel for seconds.",
    },
  },
  async run({ options, env, stdout, log, signal }) {
    const { runDashboard } = await import("../programs/dashboard/dashboard.ts");
    await runDashboard(options, { env, stdout, log, signal });
  },
});
