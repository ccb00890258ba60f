import { defineCommand } from "../base/command-line/command.ts";
import { families } from "../base/net/family.ts";
import { boolean, duration, oneOf, text } from "../base/program/option-types.ts";
import { outputOption } from "../base/program/output.ts";
import { clusterOptions } from "./cluster-options.ts";

export const command = defineCommand({
  description:
    "Send one real packet and tell what the kernel does with it: which rules it meets, others' " +
    "included, where it is translated, and where and why it ends.\n\n" +
    "FROM and TO are addresses, 'outside', or names: NAMESPACE/NAME of a pod or service, or with " +
    "the kind in front, as in pod/web-0, service/shop/web or node/node-1. TCP is a connection that " +
    "is closed at once, UDP a datagram with a line of text, SCTP the first packet of an association. " +
    "Everything on the way that is on this machine is watched; it needs the rights to do so.\n\n" +
    "Exits with 1 if the packet is not delivered.",
  examples: [
    { does: "From a pod to a service", command: "tandem trace shop/web-0 shop/db:postgres" },
    {
      does: "Over IPv6 only, to a node port",
      command: "tandem trace outside node/node-1:30080 --family IPv6",
    },
    {
      does: "Without a cluster, from a network namespace",
      command: "tandem trace 10.0.1.2 10.96.0.1:80 --netns client",
    },
  ],
  options: {
    ...clusterOptions,
    protocol: {
      type: oneOf(["tcp", "udp", "sctp"]),
      env: false,
      help: "The protocol; that of the service's port, or TCP, if not set.",
    },
    family: {
      type: oneOf(families),
      env: false,
      help: "The family; every one that both sides have if not set.",
    },
    netns: {
      type: text("NAME|PATH"),
      env: false,
      help: "The network namespace to send from; the one that has FROM's address if not set.",
    },
    here: {
      type: boolean(),
      default: false,
      env: false,
      help: "Watch what can be seen from here, also if a cluster of 'tandem up' on this machine is meant, whose namespaces can be seen only inside of it.",
    },
    timeout: {
      type: duration(),
      default: "1500ms",
      env: false,
      help: "How long to wait for an answer.",
    },
    ...outputOption(["text", "json"]),
  },
  args: {
    from: { type: text("FROM"), required: true, help: "Who sends." },
    to: { type: text("TO[:PORT]"), required: true, help: "Who is to receive, and at which port." },
  },
  async run({ options, args, env, stdout, stderr, signal }) {
    if (!options.here && options.netns === undefined) {
      const { traceInside } = await import("../programs/trace/trace.ts");
      const call = { options, words: wordsOf(options, args), env, stdout, stderr, signal };
      const exitCode = await traceInside(call);
      if (exitCode !== undefined) return exitCode;
    }
    const { runTrace } = await import("../programs/trace/trace.ts");
    const reports = await runTrace({ options, args, env, signal });
    if (options.output === "json") {
      const { formatDocument } = await import("../base/program/output.ts");
      stdout.write(await formatDocument(reports, "json"));
    } else {
      const { reportText } = await import("../inspect/trace/trace.ts");
      stdout.write(reports.map(reportText).join("\n"));
    }
    return reports.every(({ verdict }) => verdict.kind === "delivered") ? 0 : 1;
  },
});

/** Rebuilds the command line without the options that choose a cluster. */
function wordsOf(
  options: {
    readonly protocol: string | undefined;
    readonly family: string | undefined;
    readonly timeout: number;
    readonly output: string;
  },
  { from, to }: { readonly from: string; readonly to: string },
): readonly string[] {
  const { protocol, family, timeout, output } = options;
  const said = Object.entries({ protocol, family, timeout: `${timeout}ms`, output });
  return [
    ...said.flatMap(([flag, value]) => (value === undefined ? [] : [`--${flag}=${value}`])),
    "--",
    from,
    to,
  ];
}
