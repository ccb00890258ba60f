import { defineCommand } from "../base/command-line/command.ts";
import { directoryPath, filePath, text } from "../base/program/option-types.ts";

export const command = defineCommand({
  description:
    "Write a backup of a cluster: all objects, the cluster's root keys and its server's certificates.\n\n" +
    "The server may be running. Whoever has the file is the cluster's administrator: it is readable by its " +
    "owner alone, and has to be kept like a root key. Events, which expire within the hour, are left out.",
  examples: [
    { does: "Back up the cluster of this machine", command: "tandem backup ./cluster.backup" },
    {
      does: "Back up a cluster whose objects are in etcd",
      command: "tandem backup --store etcd://10.0.0.5:2379 ./cluster.backup",
    },
  ],
  options: {
    dataDir: {
      type: directoryPath(),
      default: "/var/lib/tandem",
      help: "The data directory of the server.",
    },
    store: { type: text(), default: "embedded", help: "The store, as for 'tandem server'." },
  },
  args: {
    file: { type: filePath(), required: true, help: "The file to write; it must not exist." },
  },
  async run({ options, args, stdout }) {
    const { backUp } = await import("../programs/backup/backup.ts");
    const { count, head } = await backUp({ ...options, ...args, now: () => new Date() });
    stdout.write(`${count} entries at revision ${head.revision} are in ${args.file}\n`);
  },
});
