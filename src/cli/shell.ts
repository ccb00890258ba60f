import { defineCommand } from "../base/command-line/command.ts";
import { text } from "../base/program/option-types.ts";
import { nameOption } from "./cluster-name.ts";

export const command = defineCommand({
  description:
    "Open a shell, or run a command, in the network of a node, of a pod, of the API server, or of the " +
    "host outside of the cluster. The files are this machine's.",
  examples: [
    { does: "Open a shell on a node", command: "tandem shell node-1" },
    {
      does: "See which routes a pod has",
      command: "tandem shell default/web-0 -- ip -6 route",
    },
    {
      does: "Ask a node port from outside",
      command: "tandem shell outside -- curl http://192.168.111.11:30080",
    },
  ],
  options: nameOption,
  args: {
    place: {
      type: text("NODE|POD|server|outside"),
      required: true,
      help: "A node, server, outside, or a pod as NAME or NAMESPACE/NAME.",
    },
  },
  rest: "COMMAND [ARG...]",
  async run({ options, args, rest, env }) {
    const { runShell } = await import("../programs/up/up.ts");
    return await runShell({ name: options.name, place: args.place, command: rest }, env);
  },
});
