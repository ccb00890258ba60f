import { defineCommand } from "../base/command-line/command.ts";
import { oneOf, text } from "../base/program/option-types.ts";
import { clusterOptions } from "./cluster-options.ts";

const kinds = ["pod", "service", "node", "endpoints"] as const;

export const command = defineCommand({
  description:
    "Print everything about an object that people want to know, and what has happened to it lately.\n\n" +
    "Unlike 'kubectl describe' it prints all addresses of pods, endpoints as pairs of both families, " +
    "and the endpoint family of services.",
  examples: [
    { does: "Describe a pod", command: "tandem describe pod web-0" },
    {
      does: "Describe a service of another namespace",
      command: "tandem describe service kube-dns --namespace kube-system",
    },
    { does: "Describe a node", command: "tandem describe node node-1" },
  ],
  options: clusterOptions,
  args: {
    kind: { type: oneOf(kinds, "KIND"), required: true, help: `One of ${kinds.join(", ")}.` },
    name: { type: text("NAME"), required: true, help: "The object's name." },
  },
  async run({ options, args, env, stdout, signal }) {
    const { openConnection } = await import("../programs/connect/connect.ts");
    const { descriptions } = await import("../inspect/describe/describe.ts");
    const { layOut } = await import("../inspect/describe/describe.ts");
    const { client, access } = await openConnection(options, { component: "tandem-describe", env });
    try {
      const namespace = options.namespace ?? access.namespace;
      const lines = await descriptions[args.kind](client, { namespace, name: args.name, signal });
      stdout.write(layOut(lines));
    } finally {
      client.transport.close();
    }
  },
});
