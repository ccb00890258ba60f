import { defineCommand } from "../../base/command-line/command.ts";
import { defined } from "../../base/json/defined.ts";
import { boolean, duration, text } from "../../base/program/option-types.ts";
import { kubeconfigOptions, openConnection } from "../../programs/connect/connect.ts";

export const command = defineCommand({
  description:
    "Make a token with which machines join the cluster, and print it.\n\n" +
    "It is told once: only its hash is kept. Any number of machines may use it until it expires.",
  examples: [
    { does: "Make a token for a day", command: "tandem token create" },
    {
      does: "Print what to type on the machine that shall be a node",
      command: "tandem token create --ttl 1h --print-join-command",
    },
    {
      does: "Print what to type on the machine that shall be a further server",
      command: "tandem token create --server --ttl 1h --print-join-command",
    },
  ],
  options: {
    ...kubeconfigOptions,
    ttl: { type: duration(), default: "24h", help: "How long it can be used." },
    description: { type: text(), env: false, help: "What it is for, shown in the list." },
    server: {
      type: boolean(),
      default: false,
      env: false,
      help: "Whether machines become servers by it, which know every secret of the cluster.",
    },
    printJoinCommand: {
      type: boolean(),
      default: false,
      help: "Print the whole command for the machine that joins.",
    },
  },
  async run({ options, env, stdout, signal }) {
    const { joinCommand, makeToken } = await import("../../programs/machine/machine.ts");
    const connection = await openConnection(options, { component: "tandem-token", env });
    const { client } = connection;
    try {
      const { ttl, description } = options;
      const expires = new Date(Date.now() + ttl);
      const role = options.server ? "server" : "agent";
      const wanted = { expires, role, ...defined({ description }) } as const;
      const token = await makeToken(client, wanted, signal);
      const line = options.printJoinCommand
        ? await joinCommand(connection, { token, role }, signal)
        : token;
      stdout.write(`${line}\n`);
    } finally {
      client.transport.close();
    }
  },
});
